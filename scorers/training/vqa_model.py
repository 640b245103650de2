"""The playground's question answering model before it is trained: a small BLIP with a closed vocabulary.

``folder/`` holds what ``BlipForQuestionAnswering`` and ``AutoProcessor`` open, as a checkpoint of the hub does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from data.prompts.coco import COCO, GENEVAL, article_by_sound, plural
from data.prompts.geneval import COLORS
from data.prompts.questions import questions_from_spec
from data.prompts.spec import ObjectSpec, RelationSpec, Spec

SIDE: Final = 64
PATCH: Final = 8
GRID: Final = SIDE // PATCH
LENGTH: Final = 24
"""Words of a question at most, with both ends; the longest that the rule makes has 17."""
MEAN: Final = (0.48145466, 0.4578275, 0.40821073)
STD: Final = (0.26862954, 0.26130258, 0.27577711)
_WIDTH: Final = 160
"""Of pictures and of text: BLIP's answering decoder reads the question's states through layers made for the picture's."""
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[DEC]")
PAD, UNK, CLS, SEP, START = range(len(_SPECIAL))


def words() -> list[str]:
    """All words of the questions that specs of COCO's names, the colours, and numbers to nine make, and of their choices."""
    found = {"yes", "no", "a", "an", *COLORS, *map(str, range(10))}
    for name in (*COCO, *GENEVAL):
        found |= set(_words(f"{name} {plural(name)} {article_by_sound(name)}"))
    for count in range(10):
        found |= _of(Spec((ObjectSpec("cup", "cup", count, True, "red"),)))
    for relation in ("left of", "right of", "above", "below"):
        pair = (ObjectSpec("cup", "cup"), ObjectSpec("car", "car"))
        found |= _of(Spec(pair, (RelationSpec(0, 1, relation, ""),)))
    return sorted(found)


def _of(spec: Spec) -> set[str]:
    return {
        word for question in questions_from_spec(spec) for text in (question.text, *question.choices) for word in _words(text)
    }


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.casefold())


def build_tokenizer() -> Any:
    """One token a word; a question reads ``[CLS] ... [SEP]``, an answer begins with ``[DEC]``, as BLIP's do."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    listed = [*_SPECIAL, *words()]
    raw = Tokenizer(models.WordLevel({word: number for number, word in enumerate(listed)}, unk_token="[UNK]"))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)])
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "bos_token": "[DEC]"}
    return PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=LENGTH, **named)


def build_model(vocabulary: int) -> Any:
    """An untrained ``BlipForQuestionAnswering`` of about 4 million parameters."""
    from transformers import BlipConfig, BlipForQuestionAnswering

    vision = {
        "hidden_size": _WIDTH, "intermediate_size": 4 * _WIDTH, "num_hidden_layers": 5, "num_attention_heads": 5,
        "image_size": SIDE, "patch_size": PATCH, "projection_dim": 64,
        # BLIP's own 1e-10 leaves all places alike
        "initializer_range": 0.02,
    }  # fmt: skip
    text = {
        "hidden_size": _WIDTH, "encoder_hidden_size": _WIDTH, "intermediate_size": 2 * _WIDTH, "num_hidden_layers": 3,
        "num_attention_heads": 5, "vocab_size": vocabulary, "max_position_embeddings": LENGTH, "projection_dim": 64,
        "bos_token_id": START, "eos_token_id": SEP, "sep_token_id": SEP, "pad_token_id": PAD,
    }  # fmt: skip
    return BlipForQuestionAnswering(BlipConfig(text_config=text, vision_config=vision, projection_dim=64))


def save(model: Any, folder: Path) -> None:
    """The model in half precision, and its processor."""
    import torch
    from transformers import BlipImageProcessor, BlipProcessor

    other = build_model(model.config.text_config.vocab_size)
    other.load_state_dict(model.state_dict())
    other.to(torch.float16).save_pretrained(folder)
    pictures = BlipImageProcessor(size={"height": SIDE, "width": SIDE}, image_mean=list(MEAN), image_std=list(STD))
    BlipProcessor(pictures, build_tokenizer()).save_pretrained(folder)
