"""Models with random weights, of the published sizes or small, saved as the real ones are; and pictures for them to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import open_clip
import torch
from PIL import Image
from safetensors.torch import save_file
from transformers import (
    BertTokenizer,
    BlipConfig,
    BlipForQuestionAnswering,
    BlipImageProcessor,
    BlipProcessor,
    Mask2FormerConfig,
    Mask2FormerForUniversalSegmentation,
    MPNetConfig,
    MPNetModel,
    SwinConfig,
)

from data.prompts.coco import COCO
from scorers.models.mask2former import frame, pixels

_SWIN: Final = {"embed_dim": 96, "depths": [2, 2, 18, 2], "num_heads": [3, 6, 12, 24], "window_size": 7}
"""Swin-S; the rest of facebook/mask2former-swin-small-coco-instance is the class's defaults."""
_SWIN_SMALL: Final = {"embed_dim": 8, "depths": [1, 1, 1, 1], "num_heads": [1, 2, 2, 2], "window_size": 4}
_HEADS_SMALL: Final = {
    "feature_size": 32, "mask_feature_size": 32, "hidden_dim": 32, "encoder_feedforward_dim": 16, "dim_feedforward": 16,
    "encoder_layers": 1, "decoder_layers": 3, "num_attention_heads": 2, "num_queries": 100,
}  # fmt: skip
_CLIP_SMALL: Final = {
    "embed_dim": 16, "quick_gelu": True,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 1},
}  # fmt: skip
_CLIP: Final = "ViT-L-14-quickgelu"
_PROCESSING: Final = {
    "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711],
    "interpolation": "bicubic", "resize_mode": "shortest",
}  # fmt: skip
_BLIP_SMALL: Final = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
}  # fmt: skip
"""Of its image encoder and its text models alike; the published ones are the class's defaults (base)."""
_MPNET_SMALL: Final = {**_BLIP_SMALL, "max_position_embeddings": 64}
_BERT: Final = 30522
"""Tokens of BERT's vocabulary, to which BLIP adds two."""
_OBJECTS: Final = 8
"""Of a picture's 100 queries, so many see something: about what a trained model sees."""
_SHOWN_SIDE: Final = 256
_SPREAD: Final = 4.0
"""Of the logits of classes."""


def mask2former(folder: Path, *, small: bool) -> Path:
    """A detector that sees a few things in each picture, all wrong."""
    sizes: Mapping[str, Any] = _SWIN_SMALL if small else _SWIN
    swin = SwinConfig(**sizes, out_features=["stage1", "stage2", "stage3", "stage4"])
    heads: Mapping[str, Any] = _HEADS_SMALL if small else {}
    torch.manual_seed(0)
    config = Mask2FormerConfig(backbone_config=swin, id2label=dict(enumerate(COCO)), **heads)
    model = Mask2FormerForUniversalSegmentation(config).eval()
    fed = [paint(seed, (_SHOWN_SIDE, _SHOWN_SIDE)) for seed in (0, 1)]
    batch = torch.stack([pixels(picture, frame(*picture.size, side=_SHOWN_SIDE)) for picture in fed])
    classes = model.class_predictor
    module = model.model.transformer_module
    with torch.inference_mode():
        # drawn as they are they hardly differ, and all would see the same
        module.queries_features.weight.normal_(std=3)
        module.queries_embedder.weight.normal_(std=3)
        classes.weight.normal_()
        classes.bias.zero_()
        said = model(pixel_values=batch).class_queries_logits.flatten(0, 1)
        # untrained queries are much alike: what tells them apart is what is made large
        scale = _SPREAD / (said - said.mean(0)).std()
        classes.weight.mul_(scale)
        classes.bias.copy_(-said.mean(0) * scale)
        said = (said - said.mean(0)) * scale
        # so that "no object" is the likeliest but for a few
        sure = said[:, :-1].logsumexp(-1) - said[:, -1]
        classes.bias[-1] += sure.sort(descending=True).values[_OBJECTS * len(fed)]
    model.save_pretrained(folder)
    return folder


def clip(folder: Path, *, small: bool) -> Path:
    """An image-text model that has learnt nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    config: Any = _CLIP_SMALL if small else open_clip.get_model_config(_CLIP)
    told = {"model_cfg": config, "preprocess_cfg": _PROCESSING}
    (folder / "open_clip_config.json").write_text(json.dumps(told))
    torch.manual_seed(0)
    save_file(open_clip.CLIP(**config).state_dict(), folder / "open_clip_model.safetensors")
    return folder


def blip(folder: Path, words: Sequence[str], *, small: bool) -> Path:
    """A model that answers questions at random; ``words``: those that it knows."""
    sizes: Mapping[str, Any] = _BLIP_SMALL if small else {"num_attention_heads": 12}
    vision: Mapping[str, Any] = {**sizes, "image_size": 64 if small else 384, "patch_size": 16}
    marks = {"bos_token_id": _BERT, "sep_token_id": 3, "pad_token_id": 0}
    config = BlipConfig(text_config={**sizes, "vocab_size": _BERT + 2, **marks}, vision_config=vision)
    torch.manual_seed(0)
    model = BlipForQuestionAnswering(config).eval()
    with torch.inference_mode():
        for module in model.modules():
            # drawn as they are, all pictures and questions would get the same answer
            if isinstance(module, torch.nn.Linear):
                module.weight.normal_(std=1.5 * module.in_features**-0.5)
        model.text_decoder.cls.predictions.decoder.weight.mul_(_SPREAD / config.text_config.hidden_size**0.5)
    model.save_pretrained(folder)
    side = vision["image_size"]
    BlipProcessor(BlipImageProcessor(size={"height": side, "width": side}), _bert(words)).save_pretrained(folder)
    return folder


def sentences(folder: Path, words: Sequence[str]) -> Path:
    """A small model of sentences that has learnt nothing."""
    torch.manual_seed(0)
    tokenizer = _bert(words)
    MPNetModel(MPNetConfig(**_MPNET_SMALL, vocab_size=len(tokenizer), pad_token_id=0)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _bert(words: Sequence[str]) -> Any:
    """As many tokens as BERT has: these words, letters, and others that stand in no text."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters, *(f"##{one}" for one in letters), *"?.,"]
    listed += [f"[unused{k}]" for k in range(_BERT)]
    return BertTokenizer(vocab={word: k for k, word in enumerate(list(dict.fromkeys(listed))[:_BERT])}, do_lower_case=True)


def paint(seed: int, size: tuple[int, int]) -> Image.Image:
    """A smooth background with a few plain boxes; ``size``: width and height."""
    rng = np.random.default_rng(seed)
    image = Image.fromarray(rng.integers(0, 256, (8, 8, 3), np.uint8)).resize(size, Image.Resampling.BICUBIC)
    for _ in range(6):
        (x, y), (w, h) = (rng.uniform(0, 0.8, 2) * size).astype(int), (rng.uniform(0.1, 0.4, 2) * size).astype(int)
        image.paste(tuple(rng.integers(0, 256, 3).tolist()), (int(x), int(y), int(x + w), int(y + h)))
    noise = rng.integers(-4, 5, (size[1], size[0], 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


def paintings(folder: Path, n: int, sizes: Sequence[tuple[int, int]]) -> list[Path]:
    """As files, the sizes in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{k:05d}.png" for k in range(n)]
    for k, path in enumerate(paths):
        paint(k + 1, sizes[k % len(sizes)]).save(path)
    return paths
