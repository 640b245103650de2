"""The playground's image-text model: a small open_clip model, trained from nothing.

``python -m tools.playground.clip --out DIR`` writes a folder that open_clip opens as ``local-dir:DIR``. Every picture is set
against captions that are nearly right besides those of the other pictures in the batch (as NegCLIP does), and a third of the
pictures are masked crops of one object, as GenEval's colour test shows them.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file

from data.playground.render import render
from scorers.geneval.scorer import TEMPLATES, masked_crop
from tools.playground import averaged_model, from_command_line, half_precision
from tools.playground.examples import TRAIN_LOOK, Split, caption_words, captioned, crowd, seeded, wrong_captions

SIDE: Final = 64
CONTEXT: Final = 16
_MEAN: Final = (0.48145466, 0.4578275, 0.40821073)
_STD: Final = (0.26862954, 0.26130258, 0.27577711)
_WRONG: Final = 3


@dataclass(frozen=True, slots=True)
class ClipRecipe:
    """Pictures drawn once, passes over them, pictures a step, highest learning rate, threads."""

    pictures: int = 16_000
    epochs: int = 7
    batch: int = 128
    rate: float = 1.5e-3
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class CaptionPair:
    """A picture (64 x 64 x 3, uint8), its caption, and captions that are wrong."""

    image: NDArray[np.uint8]
    caption: str
    wrong: tuple[str, ...]


def model_config() -> dict[str, Any]:
    """open_clip's ``model_cfg``. The pooled text token is the one with the highest id, hence ``<eos>`` comes last."""
    return {
        "embed_dim": 192,
        "vision_cfg": {"image_size": SIDE, "layers": [2, 2, 2, 2], "width": 24, "patch_size": None},
        "text_cfg": {
            "context_length": CONTEXT,
            "vocab_size": len(caption_words()) + 4,
            "width": 128,
            "heads": 4,
            "layers": 3,
            "hf_tokenizer_name": "tokenizer",
        },
    }


def write_tokenizer(out: Path) -> None:
    """A word-level tokenizer over the captions' words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    listed = ["<pad>", "<unk>", "<bos>", *caption_words(), "<eos>"]
    raw = Tokenizer(models.WordLevel({word: number for number, word in enumerate(listed)}, unk_token="<unk>"))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", 2), ("<eos>", len(listed) - 1)]
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", unk_token="<unk>", bos_token="<bos>", eos_token="<eos>"
    )
    wrapped.model_max_length = CONTEXT
    wrapped.save_pretrained(str(out))


def write_config(out: Path) -> None:
    """``open_clip_config.json``."""
    preprocess = {"mean": list(_MEAN), "std": list(_STD), "interpolation": "bicubic", "resize_mode": "shortest"}
    config = {"model_cfg": model_config(), "preprocess_cfg": preprocess}
    (out / "open_clip_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def fitted(image: Image.Image) -> NDArray[np.uint8]:
    """open_clip's preprocessing before normalisation: short edge to 64, bicubic, centre crop. 64 x 64 x 3."""
    scale = SIDE / min(image.size)
    width, height = max(SIDE, int(image.width * scale)), max(SIDE, int(image.height * scale))
    resized = image.resize((width, height), Image.Resampling.BICUBIC)
    x, y = round((width - SIDE) / 2), round((height - SIDE) / 2)
    return np.asarray(resized.crop((x, y, x + SIDE, y + SIDE)))


def pair(split: Split, seed: int) -> CaptionPair:
    """A scene with its caption (two of three), or one object cut out with its colour."""
    rng = seeded(split, seed + 2 * 10**6)
    if rng.random() < 1 / 3:
        return crop_pair(split, seed, rng)
    metadata, scene = captioned(split, seed)
    wrong = wrong_captions(metadata, scene, _WRONG, rng)
    return CaptionPair(fitted(Image.fromarray(render(scene, 2 * SIDE).image)), metadata["prompt"], tuple(wrong))


def crop_pair(split: Split, seed: int, rng: np.random.Generator) -> CaptionPair:
    """One object on grey, cropped to its box; captions are GenEval's colour prompts, wrong in the colour."""
    scene = crowd(split, seed)
    picture = render(scene, 2 * SIDE)
    number = int(np.argmax(picture.masks.sum(axis=(1, 2)) * rng.uniform(0.3, 1.0, len(scene.objects))))
    placed = scene.objects[number]
    x0, y0, x1, y1 = picture.boxes[number].tolist()
    image = fitted(masked_crop(Image.fromarray(picture.image), picture.masks[number], (x0, y0, x1, y1)))
    others = [color for color in TRAIN_LOOK.colors(placed.kind) if color != placed.color]
    template = TEMPLATES[int(rng.integers(len(TEMPLATES)))]
    chosen = [placed.color, *(others[int(k)] for k in rng.permutation(len(others))[:_WRONG])]
    texts = [template.format(color=color, name=placed.kind) for color in chosen]
    return CaptionPair(image, texts[0], tuple(texts[1:]))


def train(recipe: ClipRecipe, out: Path) -> None:
    """Train and write the moving average of the weights."""
    import open_clip

    out.mkdir(parents=True, exist_ok=True)
    write_config(out)
    write_tokenizer(out)
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    started = time.monotonic()
    pool = [pair("train", seed) for seed in range(recipe.pictures)]
    print(f"{len(pool)} pairs in {time.monotonic() - started:.0f} s", flush=True)
    flat = open_clip.get_tokenizer(f"local-dir:{out}")(
        [text for caption_pair in pool for text in (caption_pair.caption, *caption_pair.wrong)]
    )
    tokens = torch.as_tensor(flat).reshape(len(pool), 1 + _WRONG, CONTEXT)
    config = model_config()
    config["text_cfg"].pop("hf_tokenizer_name")
    model = open_clip.CLIP(**config).train().to(memory_format=torch.channels_last)
    averaged = averaged_model(model, 0.995)
    per_epoch = recipe.pictures // recipe.batch
    steps = recipe.epochs * per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.1)
    rng = np.random.default_rng(recipe.seed)
    for step in range(steps):
        if step % per_epoch == 0:
            order = rng.permutation(recipe.pictures)
        chosen = order[step % per_epoch * recipe.batch :][: recipe.batch]
        images = _batch([pool[k].image for k in chosen], rng)
        with torch.autocast("cpu", torch.bfloat16):
            seen = model.encode_image(images, normalize=True)
            # captions recur within a batch (colours of crops above all): each is read once
            distinct, places = tokens[chosen].flatten(0, 1).unique(dim=0, return_inverse=True)
            text_vectors = model.encode_text(distinct, normalize=True)[places]
        loss = contrast(seen.float(), text_vectors.float(), tokens[chosen], model.logit_scale.exp().clamp(max=60))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        averaged.update_parameters(model)
        if step % 50 == 0:
            print(f"step {step}/{steps} {time.monotonic() - started:.0f} s loss {loss.item():.3f}", flush=True)
    save_file(half_precision(averaged.module), out / "open_clip_model.safetensors")


def contrast(seen: torch.Tensor, text_vectors: torch.Tensor, tokens: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Both ways over the batch, and each picture against its own four captions.

    Args:
        seen: B x D pictures, normalised.
        text_vectors: (B x 4) x D captions, normalised; the first of each four is true.
        tokens: B x 4 x L, to leave out captions that read the same as the picture's own.
        scale: of the cosines.
    """
    count, choices, _ = tokens.shape
    logits = scale * seen @ text_vectors.T
    flat = tokens.flatten(0, 1)
    same = (tokens[:, None, 0] == flat[None]).all(dim=2)
    own = torch.arange(count) * choices
    same[torch.arange(count), own] = False
    logits = logits.masked_fill(same, -1e4)
    target = torch.arange(count)
    among_all = torch.nn.functional.cross_entropy(logits, own)
    back = torch.nn.functional.cross_entropy(logits[:, own].T, target)
    mine = scale * torch.einsum("bd,bcd->bc", seen, text_vectors.reshape(count, choices, -1))
    among_own = torch.nn.functional.cross_entropy(mine, torch.zeros(count, dtype=torch.long))
    return (among_all + back) / 2 + among_own


def _batch(images: list[NDArray[np.uint8]], rng: np.random.Generator) -> torch.Tensor:
    """Normalised, shifted by up to two pixels, some softened, some noisy: B x 3 x 64 x 64."""
    pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255
    pixels = torch.roll(pixels, tuple(int(k) for k in rng.integers(-2, 3, 2)), (2, 3))
    soft = torch.nn.functional.avg_pool2d(torch.nn.functional.pad(pixels, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = torch.from_numpy(rng.uniform(0, 1, (len(images), 1, 1, 1)) * (rng.random((len(images), 1, 1, 1)) < 0.5)).float()
    noise = torch.from_numpy(rng.standard_normal(pixels.shape, dtype=np.float32)) * 0.04 * share.flip(0)
    mixed = (pixels * (1 - share) + soft * share + noise).clamp(0, 1)
    mean, std = (torch.tensor(values).reshape(1, 3, 1, 1) for values in (_MEAN, _STD))
    return ((mixed - mean) / std).contiguous(memory_format=torch.channels_last)


def main() -> None:
    """Command line."""
    train(*from_command_line(ClipRecipe, "Train the playground's image-text model."))


if __name__ == "__main__":
    main()
