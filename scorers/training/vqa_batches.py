"""Pictures and questions as tensors: a pool that is drawn while the training runs, and batches from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from data.prompts.coco import plural
from data.prompts.geneval import COLORS
from data.prompts.questions import PromptQuestion
from scorers.training.asked import Form, Shown, form, shown
from scorers.training.scenes import NAMES
from scorers.training.vqa_model import GRID, MEAN, PAD, SIDE, STD

WORDS: Final = 18
"""Words of a question, with both ends, padded."""
CHOICES: Final = 4
CHOICE_WORDS: Final = 2
_ASKED_OFTEN: Final[dict[Form, float]] = {
    ("object", False): 0.5, ("counting", True): 1.5, ("counting", False): 2.0, ("spatial", True): 2.5, ("spatial", False): 2.5
}  # fmt: skip
"""Counts and relations are learned last."""
_ALONE: Final = 0.4
"""How often "1" is asked for, against other numbers: most kinds occur once."""
_FULL: Final = 0.25
"""Share of a patch that an object must cover to be what the patch shows."""
_RECOLORED: Final = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One picture, ready for batches.

    Attributes:
        image: 64 x 64 x 3, uint8.
        patches: 8 x 8 x 6, float: kind (0 ground), colour (0 ground), whether an object's centre is in the patch, where the
            centre of the patch's object lies (x and y from the middle, shares of the side), and how many there are of its kind.
        kinds: 12 x 3, float: how many there are of each kind, and where they lie on average (as above).
        named: Q x 18, the kind that a word of a question names (of two words the second), -1 where none.
        questions: Q x 18 words; ``choices``: Q x 4 x 2 words, all padding where there is no choice; ``answers``: Q.
        weights: Q, how often each is asked; ``of_color``: Q, whether a colour is asked.
    """

    image: NDArray[np.uint8]
    patches: NDArray[np.float32]
    kinds: NDArray[np.float32]
    named: NDArray[np.int64]
    questions: NDArray[np.int64]
    choices: NDArray[np.int64]
    answers: NDArray[np.int64]
    weights: NDArray[np.float64]
    of_color: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """``images``: B x 3 x 64 x 64, normalised; ``patches``: B x 64 x 6; ``kinds``: B x 12 x 3; questions, what they name,
    choices and answers as in ``Drawn``, B x Q; ``true_colors``: B, whether the colours are those of the scene."""

    images: torch.Tensor
    patches: torch.Tensor
    kinds: torch.Tensor
    named: torch.Tensor
    questions: torch.Tensor
    choices: torch.Tensor
    answers: torch.Tensor
    true_colors: torch.Tensor


def drawn(seed: int, tokenizer: Any) -> Drawn:
    """The training split's picture of a seed."""
    one = shown("train", seed)
    questions = list(dict.fromkeys(one.asked))
    asked, choices, answers = encoded(questions, tokenizer)
    names, here = named(asked, tokenizer), kinds(one)
    there = [bool((here[row[row >= 0], 0] > 0).all() and (row >= 0).any()) for row in names]
    of_color = np.array([question.element_type == "color" for question in questions], bool)
    image = fitted(Image.fromarray(one.image))
    return Drawn(image, patches(one), here, names, asked, choices, answers, weights(questions, there), of_color)


def fitted(image: Image.Image) -> NDArray[np.uint8]:
    """As the processor shrinks it: 64 x 64 x 3."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def encoded(questions: list[PromptQuestion], tokenizer: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Words of the questions and of their choices, and the answers' places."""
    asked = np.full((len(questions), WORDS), PAD, np.int64)
    choices = np.full((len(questions), CHOICES, CHOICE_WORDS), PAD, np.int64)
    if questions:
        for k, ids in enumerate(tokenizer([question.text for question in questions]).input_ids):
            asked[k, : len(ids)] = ids
    for k, question in enumerate(questions):
        for n, ids in enumerate(tokenizer(list(question.choices), add_special_tokens=False).input_ids):
            choices[k, n, : len(ids)] = ids
    return asked, choices, np.array([question.choices.index(question.answer) for question in questions], np.int64)


def weights(questions: list[PromptQuestion], there: list[bool]) -> NDArray[np.float64]:
    """Each form of question as often as every other, within it each answer, and within that what is there and what is not.

    Args:
        questions: of one picture.
        there: whether all kinds that a question names are in the picture: a "no" to a relation is to be learned by its side.
    """
    keys = [(form(question), question.answer, here) for question, here in zip(questions, there, strict=True)]
    found = np.ones(len(keys))
    for k, (asked, answer, _) in enumerate(keys):
        answers = len({other[1] for other in keys if other[0] == asked})
        ways = len({other[2] for other in keys if other[:2] == (asked, answer)})
        found[k] = _ASKED_OFTEN.get(asked, 1.0) / answers / ways / keys.count(keys[k])
        if asked == ("counting", False) and answer == "1":
            found[k] *= _ALONE
    return found


def patches(one: Shown) -> NDArray[np.float32]:
    """What each patch shows; see ``Drawn``."""
    found = np.zeros((GRID, GRID, 6), np.float32)
    if not len(one.masks) or not one.scene.objects:
        return found
    side = one.masks.shape[1] // GRID
    cover = one.masks.reshape(len(one.masks), GRID, side, GRID, side).mean(axis=(2, 4))
    owner = cover.argmax(axis=0)
    seen = cover.max(axis=0) >= _FULL
    for k, placed in enumerate(one.scene.objects):
        mine = seen & (owner == k)
        found[mine, 0] = 1 + NAMES.index(placed.kind)
        found[mine, 1] = 1 + COLORS.index(placed.color)
        many = sum(other.kind == placed.kind for other in one.scene.objects)
        found[mine, 3:] = placed.x - 0.5, placed.y - 0.5, many
        found[min(GRID - 1, int(placed.y * GRID)), min(GRID - 1, int(placed.x * GRID)), 2] = 1
    return found


def kinds(one: Shown) -> NDArray[np.float32]:
    """How many there are of each kind, and where; see ``Drawn``."""
    found = np.zeros((len(NAMES), 3), np.float32)
    for placed in one.scene.objects:
        found[NAMES.index(placed.kind)] += 1, placed.x - 0.5, placed.y - 0.5
    found[:, 1:] /= np.maximum(found[:, :1], 1)
    return found


def named(questions: NDArray[np.int64], tokenizer: Any) -> NDArray[np.int64]:
    """Which kind a word names; see ``Drawn``."""
    known = np.full(len(tokenizer), -1, np.int64)
    for number, kind in enumerate(NAMES):
        for name in (kind, plural(kind)):
            known[tokenizer(name, add_special_tokens=False).input_ids[-1]] = number
    # the colour, too, is called orange, and there is no such kind
    return known[questions]


def batch(chosen: list[Drawn], n: int, rng: np.random.Generator) -> Batch:
    """``n`` questions of each picture; every fifth picture in other colours, without questions about colours."""
    questions, names, choices, answers, true_colors = [], [], [], [], []
    for one in chosen:
        true = rng.random() >= _RECOLORED
        chances = one.weights * (1.0 if true else ~one.of_color)
        # the n largest of u^(1/w): drawn by weight, none twice
        keys = rng.random(len(chances)) ** (1 / np.maximum(chances, 1e-9))
        picked = np.argsort(-keys)[:n]
        picked = np.resize(picked, n)
        questions.append(one.questions[picked])
        names.append(one.named[picked])
        choices.append(one.choices[picked])
        answers.append(one.answers[picked])
        true_colors.append(true)
    pixels = torch.from_numpy(np.stack([one.image for one in chosen])).permute(0, 3, 1, 2).float() / 255
    return Batch(
        normalised(_roughened(pixels, true_colors, rng)),
        torch.from_numpy(np.stack([one.patches for one in chosen])).flatten(1, 2),
        torch.from_numpy(np.stack([one.kinds for one in chosen])),
        torch.from_numpy(np.stack(names)),
        torch.from_numpy(np.stack(questions)),
        torch.from_numpy(np.stack(choices)),
        torch.from_numpy(np.stack(answers)),
        torch.tensor(true_colors),
    )


def _roughened(pixels: torch.Tensor, true_colors: list[bool], rng: np.random.Generator) -> torch.Tensor:
    """Some softened, some noisy, all with a little other light; channels exchanged or greyed where the colours are not true."""
    count = len(pixels)
    soft = torch.nn.functional.avg_pool2d(torch.nn.functional.pad(pixels, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = torch.from_numpy(rng.uniform(0, 1, (count, 1, 1, 1)) * (rng.random((count, 1, 1, 1)) < 0.4)).float()
    noise = torch.from_numpy(rng.standard_normal(pixels.shape, dtype=np.float32))
    noise *= torch.from_numpy(rng.uniform(0, 0.05, (count, 1, 1, 1)) * (rng.random((count, 1, 1, 1)) < 0.5)).float()
    mixed = pixels * (1 - share) + soft * share + noise
    for k in range(count):
        if not true_colors[k]:
            picture = mixed[k, torch.from_numpy(rng.permutation(3))]
            grey = picture.mean(dim=0, keepdim=True)
            mixed[k] = grey + (picture - grey) * float(rng.uniform(0.0, 1.1))
    contrast = torch.from_numpy(rng.uniform(0.92, 1.08, (count, 1, 1, 1))).float()
    return ((mixed - 0.5) * contrast + 0.5 + torch.from_numpy(rng.uniform(-0.03, 0.03, (count, 1, 1, 1))).float()).clamp(0, 1)


def normalised(pixels: torch.Tensor) -> torch.Tensor:
    """B x 3 x 64 x 64, from 0-1 to what the model reads."""
    mean, std = (torch.tensor(values).reshape(1, 3, 1, 1) for values in (MEAN, STD))
    return (pixels - mean) / std
