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
    "cup", "dog", "cat", "bus", "red", "blue", "green", "yes", "no", "one", "two", "three", "four", "?", ",", ".", ":", '"', "traffic",
    "light", "does", "figure", "show", "please", "answer", "or", "question", "choices", "multiple", "-", "choice",
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


def bert() -> Any:
    """BERT's tokens: these words, and letters for what is none of them."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters, *(f"##{one}" for one in letters)]
    return BertTokenizer(vocab={word: k for k, word in enumerate(dict.fromkeys(listed))}, do_lower_case=True)


def word_level() -> Any:
    """As the playground's: whole words, what is none of them is [UNK]."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    inner = Tokenizer(models.WordLevel({word: k for k, word in enumerate([*marks, *WORDS])}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


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


def seeded(kind: Any, config: Any, seed: int = 0) -> Any:
    """With weights large enough that pictures and questions make a difference."""
    torch.manual_seed(seed)
    model = kind(config).eval()
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.Linear | torch.nn.Embedding | torch.nn.Conv2d | torch.nn.Conv3d):
                fan = module.weight[0].numel() if not isinstance(module, torch.nn.Embedding) else 1
                module.weight.normal_(std=1.5 * fan**-0.5)
    return model


def saved(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    return folder


MAKE: Final[dict[str, Callable[[Path], Path]]] = {
    "blip": blip,
    "blip-words": lambda folder: blip(folder, words=True),
}
ANSWERINGS: Final[dict[str, tuple[str, ...]]] = {}
"""Where it is not all of them."""
