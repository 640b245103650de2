"""Models that answer questions: the published architectures, small and with random weights, saved as the real ones are, with
processors and tokenizers made here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertTokenizer, PreTrainedTokenizerFast

SIDE: Final = 32
WORDS: Final = (
    "is", "there", "a", "an", "the", "what", "how", "many", "color", "of", "in", "this", "picture", "on", "left", "right",
    "cup", "dog", "cat", "bus", "red", "blue", "green", "yes", "no", "one", "two", "three", "four", "?", ",", ".", ":", '"',
    "traffic", "light", "does", "figure", "show", "please", "answer", "or", "question", "choices", "multiple", "-", "choice",
)  # fmt: skip


def blip(folder: Path, words: bool = False) -> Path:
    """``words``: with a tokenizer of whole words, as the playground's; else BERT's, as the published one."""
    from transformers import BlipConfig, BlipForQuestionAnswering, BlipImageProcessor, BlipProcessor

    tokenizer = word_level() if words else bert()
    n = len(tokenizer)
    named = {"bos_token_id": n, "sep_token_id": tokenizer.sep_token_id, "pad_token_id": tokenizer.pad_token_id}
    text = {
        "vocab_size": n + 2, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "max_position_embeddings": 40, **named,
    }  # fmt: skip
    vision = {
        "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": SIDE,
        "patch_size": 16,
    }  # fmt: skip
    model = seeded(BlipForQuestionAnswering, BlipConfig(text_config=text, vision_config=vision))
    size = {"height": SIDE, "width": SIDE}
    BlipProcessor(BlipImageProcessor(size=size), tokenizer).save_pretrained(folder)
    return saved(model, folder)


def blip2(folder: Path, instruct: bool = False) -> Path:
    """Its Flan-T5 has the published kind of layers (gated, untied); the tokenizer is one of whole words."""
    from transformers import (
        Blip2Config,
        Blip2ForConditionalGeneration,
        Blip2Processor,
        BlipImageProcessor,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
        T5Config,
    )  # fmt: skip

    tokenizer = word_level(ends=True)
    text = T5Config(
        vocab_size=len(tokenizer) + 4, d_model=32, d_kv=8, d_ff=32, num_layers=2, num_decoder_layers=2, num_heads=4,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, pad_token_id=0, decoder_start_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
    ).to_dict()  # fmt: skip
    vision = {
        "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": SIDE,
        "patch_size": 16,
    }  # fmt: skip
    asking = {
        "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "encoder_hidden_size": 32,
        "vocab_size": len(bert()),
    }  # fmt: skip
    kinds: Any = (InstructBlipConfig, InstructBlipForConditionalGeneration) if instruct else (
        Blip2Config, Blip2ForConditionalGeneration
    )  # fmt: skip
    config = kinds[0](vision_config=vision, qformer_config=asking, text_config=text, num_query_tokens=5)
    config.image_token_index = len(tokenizer)
    model = seeded(kinds[1], config)
    with torch.no_grad():
        model.query_tokens.normal_()
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    if instruct:
        InstructBlipProcessor(images, tokenizer, bert(), num_query_tokens=5).save_pretrained(folder)
    else:
        Blip2Processor(images, tokenizer, num_query_tokens=5).save_pretrained(folder)
    return saved(model, folder)


def git(folder: Path) -> Path:
    from transformers import CLIPImageProcessor, GitConfig, GitForCausalLM, GitProcessor

    tokenizer = bert()
    vision = {
        "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": SIDE,
        "patch_size": 16,
    }  # fmt: skip
    config = GitConfig(
        vision_config=vision, vocab_size=len(tokenizer), hidden_size=32, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=64, pad_token_id=0, bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    size = {"height": SIDE, "width": SIDE}
    images = CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size=size)
    GitProcessor(images, tokenizer).save_pretrained(folder)
    return saved(seeded(GitForCausalLM, config), folder)


def vilt(folder: Path) -> Path:
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltImageProcessor, ViltProcessor

    tokenizer = bert()
    answers = ["yes", "no", "red", "blue", "one", "two", "traffic light", "a cat"]
    config = ViltConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        image_size=96, patch_size=32, max_image_length=-1, max_position_embeddings=40, id2label=dict(enumerate(answers)),
    )  # fmt: skip
    images = ViltImageProcessor(size={"shortest_edge": 64}, size_divisor=32)
    ViltProcessor(images, tokenizer).save_pretrained(folder)
    return saved(seeded(ViltForQuestionAnswering, config, 4.0), folder)


def bert() -> Any:
    """BERT's tokens: these words, and letters for what is none of them."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    return BertTokenizer(vocab={word: k for k, word in enumerate(dict.fromkeys(listed))}, do_lower_case=True)


def word_level(ends: bool = False) -> Any:
    """As the playground's: whole words, what is none of them is [UNK]. ``ends``: as T5's, with a mark at the end alone."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    inner = Tokenizer(models.WordLevel({word: k for k, word in enumerate([*marks, *WORDS])}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marked = "$A [SEP]" if ends else "[CLS] $A [SEP]"
    inner.post_processor = processors.TemplateProcessing(single=marked, special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        eos_token="[SEP]" if ends else None,
    )  # fmt: skip


def mpnet(folder: Path) -> Path:
    """For sentences."""
    from transformers import MPNetConfig, MPNetModel

    tokenizer = bert()
    config = MPNetConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=64, pad_token_id=0,
    )  # fmt: skip
    tokenizer.save_pretrained(folder)
    return saved(seeded(MPNetModel, config), folder)


def seeded(kind: Any, config: Any, spread: float = 1.5) -> Any:
    """With weights large enough that pictures and questions make a difference."""
    torch.manual_seed(0)
    model = kind(config).eval()
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.Linear | torch.nn.Embedding | torch.nn.Conv2d | torch.nn.Conv3d):
                fan = module.weight[0].numel() if not isinstance(module, torch.nn.Embedding) else 1
                module.weight.normal_(std=spread * fan**-0.5)
    return model


def saved(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    return folder


MAKE: Final[dict[str, Callable[[Path], Path]]] = {
    "blip": blip,
    "blip-words": lambda folder: blip(folder, words=True),
    "blip2": blip2,
    "instructblip": lambda folder: blip2(folder, instruct=True),
    "git": git,
    "vilt": vilt,
}
ANSWERINGS: Final[dict[str, tuple[str, ...]]] = {"vilt": ("free",), "qwen": ("choices",), "smol": ("choices",)}
"""Where it is not all of them."""
