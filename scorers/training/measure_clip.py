"""Held-out figures of the image-text model: ``python -m scorers.training.measure_clip DIR`` prints them as JSON.

Four captions each, one of them true, on scenes with seeds, textures and object-colour pairs that the training never saw
(chance: a quarter), and the colour of masked crops among ten. The model is opened as in production: ``local-dir:DIR``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from PIL import Image

from data.playground.drawing import ANY_LOOK
from data.playground.render import render
from data.prompts.geneval import COLORS
from scorers.training.captions import COLOR_TEMPLATES, wrong_by
from scorers.training.clip import GREY
from scorers.training.scenes import captioned, crowd, seeded

ASKED_OF: Final[dict[str, tuple[str, ...]]] = {
    "object": ("single_object", "two_object", "colors"),
    "count": ("counting",),
    "colour": ("colors", "color_attr"),
    "relation": ("position",),
}
_SIDE: Final = 128


def open_model(folder: Path) -> tuple[Any, Any, Any]:
    """Model, preprocessing and tokenizer."""
    import open_clip

    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{folder}")
    return model.eval(), preprocess, open_clip.get_tokenizer(f"local-dir:{folder}")


def measure(folder: Path, n: int = 300) -> dict[str, float]:
    """Share of right choices for each kind of change, and of crops whose colour is right."""
    opened = open_model(folder)
    figures = {f"four_captions_{change}": _four_captions(opened, change, n) for change in ASKED_OF}
    return figures | {"colour_of_masked_crops": _crops(opened, n)}


def _four_captions(opened: tuple[Any, Any, Any], change: str, n: int) -> float:
    model, preprocess, tokenizer = opened
    right = asked_in_all = 0
    for seed in range(n):
        asked, scene = captioned("held-out", seed + 7 * 10**6, ASKED_OF[change])
        wrong = wrong_by(change, asked, scene, 3, seeded("held-out", seed), ANY_LOOK)
        if not wrong:
            continue
        image = preprocess(Image.fromarray(render(scene, _SIDE).image))[None]
        with torch.no_grad():
            seen = model.encode_image(image, normalize=True)
            said = model.encode_text(tokenizer([asked["prompt"], *wrong]), normalize=True)
        right += int((seen @ said.T).argmax() == 0)
        asked_in_all += 1
    return right / asked_in_all


def _crops(opened: tuple[Any, Any, Any], n: int) -> float:
    """GenEval's colour test: three prompts per colour averaged, the object on grey, cropped to its box."""
    model, preprocess, tokenizer = opened
    right = 0
    for seed in range(n):
        scene = crowd("held-out", seed)
        picture = render(scene, _SIDE)
        number = int(np.argmax(picture.masks.sum(axis=(1, 2))))
        placed = scene.objects[number]
        shown = Image.fromarray(np.where(picture.masks[number][..., None], picture.image, np.uint8(GREY)))
        with torch.no_grad():
            seen = model.encode_image(preprocess(shown.crop(tuple(picture.boxes[number].tolist())))[None], normalize=True)
            texts = [template.format(color=color, name=placed.kind) for color in COLORS for template in COLOR_TEMPLATES]
            said = model.encode_text(tokenizer(texts), normalize=True)
        classes = torch.nn.functional.normalize(said.reshape(len(COLORS), len(COLOR_TEMPLATES), -1).mean(dim=1), dim=1)
        right += int(COLORS[int((seen @ classes.T).argmax())] == placed.color)
    return right / n


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Held-out figures of the playground's image-text model.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--n", type=int, default=300)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps({name: round(value, 4) for name, value in measure(arguments.folder, arguments.n).items()}, indent=2))


if __name__ == "__main__":
    main()
