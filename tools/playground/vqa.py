"""The playground's question answering model, trained from nothing: ``python -m tools.playground.vqa --out DIR``.

- The model: a small BLIP with a closed vocabulary. ``folder/`` holds what ``BlipForQuestionAnswering`` and ``AutoProcessor``
  open, as a checkpoint of the hub does.
- Batches: a pool of pictures and questions that is drawn while the training runs.
- The forward pass, for many questions of one picture at a time. The modules are those of ``BlipForQuestionAnswering``; only
  the way through them is another, so that a picture's keys and values are computed once for all of its questions, and a
  question's for all of its choices. Unlike transformers 5.23, whose text layers drop the mask of the states they attend to,
  padding is not seen here: at inference questions must not be padded.
"""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import nn
from torch.nn import functional

from data.prompts.coco import COCO, GENEVAL, article_by_sound, plural
from data.prompts.geneval_suite import COLORS
from data.prompts.questions import PromptQuestion, questions_from_spec
from data.spec import ObjectSpec, RelationSpec, Spec
from tools.playground import (
    average_gradients,
    averaged_model,
    from_command_line,
    furthest_progress,
    join_processes,
    train_together,
)
from tools.playground.examples import NAMES, PictureWithQuestions, QuestionForm, picture_with_questions, question_form
from tools.playground.generator import rate_at

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
    vocabulary = {"yes", "no", "a", "an", *COLORS, *map(str, range(10))}
    for name in (*COCO, *GENEVAL):
        vocabulary |= set(_words(f"{name} {plural(name)} {article_by_sound(name)}"))
    for count in range(10):
        vocabulary |= _of(Spec((ObjectSpec("cup", "cup", count, True, "red"),)))
    for relation in ("left of", "right of", "above", "below"):
        pair = (ObjectSpec("cup", "cup"), ObjectSpec("car", "car"))
        vocabulary |= _of(Spec(pair, (RelationSpec(0, 1, relation, ""),)))
    return sorted(vocabulary)


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


WORDS: Final = 18
"""Words of a question, with both ends, padded."""
CHOICES: Final = 4
CHOICE_WORDS: Final = 2
_ASKED_OFTEN: Final[dict[QuestionForm, float]] = {
    ("object", False): 0.5, ("counting", True): 1.5, ("counting", False): 2.0, ("spatial", True): 2.5, ("spatial", False): 2.5
}  # fmt: skip
"""Counts and relations are learned last."""
_ALONE: Final = 0.4
"""How often "1" is asked for, against other numbers: most kinds occur once."""
_FULL: Final = 0.25
"""Share of a patch that an object must cover to be what the patch shows."""
_RECOLORED: Final = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPicture:
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
    choices and answers as in ``DrawnPicture``, B x Q; ``true_colors``: B, whether the colours are those of the scene."""

    images: torch.Tensor
    patches: torch.Tensor
    kinds: torch.Tensor
    named: torch.Tensor
    questions: torch.Tensor
    choices: torch.Tensor
    answers: torch.Tensor
    true_colors: torch.Tensor


def draw_picture(seed: int, tokenizer: Any) -> DrawnPicture:
    """The training split's picture of a seed."""
    picture = picture_with_questions("train", seed)
    questions = list(dict.fromkeys(picture.asked))
    tokens, choices, answers = encoded(questions, tokenizer)
    names, here = named(tokens, tokenizer), kinds(picture)
    there = [bool((here[row[row >= 0], 0] > 0).all() and (row >= 0).any()) for row in names]
    of_color = np.array([question.element_type == "color" for question in questions], bool)
    image = fitted(Image.fromarray(picture.image))
    return DrawnPicture(image, patches(picture), here, names, tokens, choices, answers, weights(questions, there), of_color)


def fitted(image: Image.Image) -> NDArray[np.uint8]:
    """As the processor shrinks it: 64 x 64 x 3."""
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def encoded(questions: list[PromptQuestion], tokenizer: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Words of the questions and of their choices, and the answers' places."""
    tokens = np.full((len(questions), WORDS), PAD, np.int64)
    choices = np.full((len(questions), CHOICES, CHOICE_WORDS), PAD, np.int64)
    if questions:
        for k, ids in enumerate(tokenizer([question.text for question in questions]).input_ids):
            tokens[k, : len(ids)] = ids
    for k, question in enumerate(questions):
        for n, ids in enumerate(tokenizer(list(question.choices), add_special_tokens=False).input_ids):
            choices[k, n, : len(ids)] = ids
    return tokens, choices, np.array([question.choices.index(question.answer) for question in questions], np.int64)


def weights(questions: list[PromptQuestion], there: list[bool]) -> NDArray[np.float64]:
    """Each form of question as often as every other, within it each answer, and within that what is there and what is not.

    Args:
        questions: of one picture.
        there: whether all kinds that a question names are in the picture: a "no" to a relation is to be learned by its side.
    """
    keys = [(question_form(question), question.answer, here) for question, here in zip(questions, there, strict=True)]
    weight = np.ones(len(keys))
    for k, (form, answer, _) in enumerate(keys):
        answers = len({other[1] for other in keys if other[0] == form})
        ways = len({other[2] for other in keys if other[:2] == (form, answer)})
        weight[k] = _ASKED_OFTEN.get(form, 1.0) / answers / ways / keys.count(keys[k])
        if form == ("counting", False) and answer == "1":
            weight[k] *= _ALONE
    return weight


def patches(picture: PictureWithQuestions) -> NDArray[np.float32]:
    """What each patch shows; see ``DrawnPicture``."""
    features = np.zeros((GRID, GRID, 6), np.float32)
    if not len(picture.masks) or not picture.scene.objects:
        return features
    side = picture.masks.shape[1] // GRID
    cover = picture.masks.reshape(len(picture.masks), GRID, side, GRID, side).mean(axis=(2, 4))
    owner = cover.argmax(axis=0)
    seen = cover.max(axis=0) >= _FULL
    for k, placed in enumerate(picture.scene.objects):
        mine = seen & (owner == k)
        features[mine, 0] = 1 + NAMES.index(placed.kind)
        features[mine, 1] = 1 + COLORS.index(placed.color)
        many = sum(other.kind == placed.kind for other in picture.scene.objects)
        features[mine, 3:] = placed.x - 0.5, placed.y - 0.5, many
        features[min(GRID - 1, int(placed.y * GRID)), min(GRID - 1, int(placed.x * GRID)), 2] = 1
    return features


def kinds(picture: PictureWithQuestions) -> NDArray[np.float32]:
    """How many there are of each kind, and where; see ``DrawnPicture``."""
    by_kind = np.zeros((len(NAMES), 3), np.float32)
    for placed in picture.scene.objects:
        by_kind[NAMES.index(placed.kind)] += 1, placed.x - 0.5, placed.y - 0.5
    by_kind[:, 1:] /= np.maximum(by_kind[:, :1], 1)
    return by_kind


def named(questions: NDArray[np.int64], tokenizer: Any) -> NDArray[np.int64]:
    """Which kind a word names; see ``DrawnPicture``."""
    known = np.full(len(tokenizer), -1, np.int64)
    for number, kind in enumerate(NAMES):
        for name in (kind, plural(kind)):
            known[tokenizer(name, add_special_tokens=False).input_ids[-1]] = number
    # the colour, too, is called orange, and there is no such kind
    return known[questions]


def batch(chosen: list[DrawnPicture], n: int, rng: np.random.Generator) -> Batch:
    """``n`` questions of each picture; every fifth picture in other colours, without questions about colours."""
    questions, names, choices, answers, true_colors = [], [], [], [], []
    for picture in chosen:
        true = rng.random() >= _RECOLORED
        chances = picture.weights * (1.0 if true else ~picture.of_color)
        # the n largest of u^(1/w): drawn by weight, none twice
        keys = rng.random(len(chances)) ** (1 / np.maximum(chances, 1e-9))
        picked = np.argsort(-keys)[:n]
        picked = np.resize(picked, n)
        questions.append(picture.questions[picked])
        names.append(picture.named[picked])
        choices.append(picture.choices[picked])
        answers.append(picture.answers[picked])
        true_colors.append(true)
    pixels = torch.from_numpy(np.stack([picture.image for picture in chosen])).permute(0, 3, 1, 2).float() / 255
    return Batch(
        normalised(_roughened(pixels, true_colors, rng)),
        torch.from_numpy(np.stack([picture.patches for picture in chosen])).flatten(1, 2),
        torch.from_numpy(np.stack([picture.kinds for picture in chosen])),
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


_FAR: Final = -1e4
_COUNTS: Final = 7
"""Zero to six of a kind."""


class Heads(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    """Linear heads for the training only; without them counts and relations are not learned for a long time.

    On the picture's patches: kind, colour, whether an object's centre is there, where the centre of the patch's object is, how
    many there are of its kind. On the question's words that name a kind: how many there are of it, and where.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sizes = (1 + len(NAMES), 1 + len(COLORS), 1, 2, _COUNTS)
        self.patch = nn.Linear(width, sum(self.sizes))
        self.word = nn.Linear(width, _COUNTS + 2)

    def patch_loss(self, states: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of the patches: B x 64 x width."""
        kind, color, middle, position, count = self.patch(states).float().split(self.sizes, dim=2)
        truth = batch.patches
        kinds, colors = truth[..., 0].long(), truth[..., 1].long()
        true = batch.true_colors
        loss = functional.cross_entropy(kind.flatten(0, 1), kinds.flatten())
        loss = loss + functional.cross_entropy(color[true].flatten(0, 1), colors[true].flatten())
        loss = loss + 2 * functional.binary_cross_entropy_with_logits(middle[..., 0], truth[..., 2])
        loss = loss + functional.cross_entropy(count.flatten(0, 1), truth[..., 5].long().flatten())
        return loss + 4 * ((position - truth[..., 3:5]).abs().sum(dim=2) * (kinds > 0)).mean()

    def word_loss(self, states: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of the words: (B x Q) x L x width."""
        named = batch.named.flatten(0, 1)
        pictures = torch.arange(len(batch.images)).repeat_interleave(batch.named.shape[1])
        row, column = (named >= 0).nonzero(as_tuple=True)
        predicted = self.word(states[row, column]).float()
        truth = batch.kinds[pictures[row], named[row, column]]
        loss = functional.cross_entropy(predicted[:, :_COUNTS], truth[:, 0].long())
        return loss + 6 * ((predicted[:, _COUNTS:] - truth[:, 1:]).abs().sum(dim=1) * (truth[:, 0] > 0)).mean()


def attend(attention: Any, hidden: torch.Tensor, states: torch.Tensor, mask: torch.Tensor | None) -> Any:
    """A ``BlipTextAttention``: N x T x D queries over N x S x E states; the mask is added to the scores."""
    own = attention.self

    def heads(made: torch.Tensor) -> torch.Tensor:
        return made.unflatten(2, (own.num_attention_heads, -1)).transpose(1, 2)

    query, key, value = heads(own.query(hidden)), heads(own.key(states)), heads(own.value(states))
    # written out: the fused kernel's way back is several times slower on CPUs
    scores = query @ key.transpose(2, 3) * own.attention_head_size**-0.5
    shares = (scores if mask is None else scores + mask.to(scores.dtype)).softmax(dim=3).to(value.dtype)
    return attention.output((shares @ value).transpose(1, 2).flatten(2), hidden)


def run_layers(
    layers: Any, hidden: torch.Tensor, mask: torch.Tensor, states: torch.Tensor, patch_loss: torch.Tensor | None
) -> list[torch.Tensor]:
    """All layers of a text model over N x T x D: self-attention under ``mask``, cross-attention to ``states`` under
    ``patch_loss``.

    The states may be fewer than N: then those of n / N follow one another, and read the same. Returns what each layer gives.
    """
    outputs = []
    several = len(hidden) // len(states)
    for layer in layers:
        hidden = attend(layer.attention, hidden, hidden, mask)
        beside = hidden.reshape(len(states), several * hidden.shape[1], -1)
        hidden = attend(layer.crossattention, beside, states, patch_loss).reshape(hidden.shape)
        hidden = layer.feed_forward_chunk(hidden)
        outputs.append(hidden)
    return outputs


def choice_scores(
    model: Any, states: torch.Tensor, questions: torch.Tensor, choices: torch.Tensor
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Log-probability of each choice, with its end, given picture and question: B x Q x C; -10,000 where there is none.

    Also what the layers of the text encoder give, each (B x Q) x L x D.

    Args:
        model: a ``BlipForQuestionAnswering``.
        states: B x P x E, of the vision model.
        questions: B x Q x L words.
        choices: B x Q x C x W words.
    """
    flat = questions.flatten(0, 1)
    unseen = torch.where(flat != PAD, 0.0, _FAR)[:, None, None]
    embedded = model.text_encoder.embeddings(input_ids=flat)
    word_loss = run_layers(model.text_encoder.encoder.layer, embedded, unseen, states, None)
    return _choices(model.text_decoder, word_loss[-1], unseen, choices.flatten(0, 1)).unflatten(
        0, questions.shape[:2]
    ), word_loss


def _choices(decoder: Any, states: torch.Tensor, patch_loss: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
    """N x C: all choices of a question in one sequence; each sees the start and itself."""
    count, several, width = choices.shape
    words = torch.cat([torch.full((count, 1), START), choices.flatten(1)], dim=1)
    number = torch.cat([torch.tensor([-1]), torch.arange(several).repeat_interleave(width)])
    positions = torch.cat([torch.tensor([0]), torch.arange(1, width + 1).repeat(several)])
    before = ((number[:, None] == number[None]) | (number[None] < 0)) & (positions[None] <= positions[:, None])
    mask = torch.where(before, 0.0, _FAR)[None, None]
    hidden = decoder.bert.embeddings(input_ids=words, position_ids=positions[None].expand(count, -1))
    spoken = run_layers(decoder.bert.encoder.layer, hidden, mask, states, patch_loss)[-1]
    scores = decoder.cls(spoken).float().log_softmax(dim=2)
    # after the start comes a choice's first word, after each word the next, after the last the end
    following = torch.cat([choices[:, :, 1:], torch.full((count, several, 1), PAD)], dim=2)
    following = torch.where((choices != PAD) & (following == PAD), SEP, following)
    first = scores[:, 0].gather(1, choices[:, :, 0])
    later = scores[:, 1:].gather(2, following.flatten(1)[..., None])[..., 0].unflatten(1, (several, width))
    total = first + (later * (choices != PAD)).sum(dim=2)
    return total.masked_fill(choices[:, :, 0] == PAD, _FAR)


def losses(model: Any, heads: Heads, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The decoder's loss of the true answer, that of choosing it, the heads', and which questions were answered right."""
    with torch.autocast("cpu", torch.bfloat16):
        states = model.vision_model(pixel_values=batch.images).last_hidden_state
        scores, word_loss = choice_scores(model, states, batch.questions, batch.choices)
        # of the words in the middle: what is found can still be compared in the last layer
        dense = heads.patch_loss(states[:, 1:], batch) + heads.word_loss(word_loss[-2], batch)
    flat, answers = scores.flatten(0, 1), batch.answers.flatten()
    spoken = -flat.gather(1, answers[:, None]).mean()
    return spoken, functional.cross_entropy(flat, answers), dense, scores.argmax(dim=2) == batch.answers


_STATE: Final = "training.pt"


@dataclass(frozen=True, slots=True)
class VqaRecipe:
    """Pictures drawn before the first step, at each step, and in all (of each process); steps, pictures a step (over all
    processes), questions of each, highest learning rate, minutes after which the run is brought to its end, minutes between
    savings, processes; ``start`` a folder to go on from."""

    first: int = 2500
    fresh: int = 4
    scenes: int = 20_000
    steps: int = 6000
    batch: int = 64
    questions: int = 6
    rate: float = 1e-3
    minutes: float = math.inf
    saved: float = 4.0
    processes: int = 2
    seed: int = 0
    start: Path | None = None


class PicturePool:
    """The pictures of one process."""

    def __init__(self, recipe: VqaRecipe, rank: int) -> None:
        self._recipe, self._next = recipe, 10**7 * (1 + recipe.seed * recipe.processes + rank)
        self._tokenizer = build_tokenizer()
        self._pool: list[DrawnPicture] = []
        self.vocabulary = len(self._tokenizer)
        while len(self._pool) < recipe.first:
            self._draw()

    def _draw(self) -> None:
        picture = draw_picture(self._next, self._tokenizer)
        self._next += 1
        if len(picture.answers) - int(picture.of_color.sum()) > 0:
            self._pool.append(picture)

    def some(self, n: int, rng: np.random.Generator) -> list[DrawnPicture]:
        """``n`` of them; the pool grows meanwhile, until it is full."""
        if len(self._pool) < self._recipe.scenes:
            for _ in range(self._recipe.fresh):
                self._draw()
        return [self._pool[int(k)] for k in rng.integers(len(self._pool), size=n)]


def train(rank: int, recipe: VqaRecipe, out: Path) -> None:
    """One process of the training; the first writes the results."""
    join_processes(rank, recipe.processes, out)
    started = time.monotonic()
    pictures = PicturePool(recipe, rank)
    print(f"{recipe.first} pictures in {time.monotonic() - started:.0f} s", flush=True)
    torch.manual_seed(recipe.seed)
    model = build_model(pictures.vocabulary).train()
    heads = Heads(model.config.vision_config.hidden_size)
    if recipe.start is not None:
        state = torch.load(recipe.start / _STATE, weights_only=True)
        model.load_state_dict(state["model"])
        known = {name: value for name, value in state["heads"].items() if value.shape == heads.state_dict()[name].shape}
        heads.load_state_dict(known, strict=False)
    averaged = averaged_model(model, 0.998)
    parameters = [*model.parameters(), *heads.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.05)
    rng = np.random.default_rng([recipe.seed, rank])
    started = saved = time.monotonic()
    step, progress = 0, 0.0
    shown: dict[str, float] = {}
    while progress < 1:
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * rate_at(progress)
        chosen = batch(pictures.some(recipe.batch // recipe.processes, rng), recipe.questions, rng)
        spoken, choosing, dense, right = losses(model, heads, chosen)
        (0.3 * spoken + choosing + 0.7 * dense).backward()
        for module in (model, heads):
            average_gradients(module, recipe.processes)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        averaged.update_parameters(model)
        step += 1
        progress = furthest_progress(
            max(step / recipe.steps, (time.monotonic() - started) / 60 / recipe.minutes), recipe.processes
        )
        for name, value in (("spoken", spoken), ("choosing", choosing), ("dense", dense), ("right", right.float().mean())):
            shown[name] = 0.98 * shown.get(name, float(value.detach())) + 0.02 * float(value.detach())
        if rank == 0 and step % 50 == 0:
            figures = " ".join(f"{name} {value:.3f}" for name, value in shown.items())
            print(f"step {step} {progress:.1%} {time.monotonic() - started:.0f} s {figures}", flush=True)
        if rank == 0 and (progress >= 1 or time.monotonic() - saved > recipe.saved * 60):
            saved = time.monotonic()
            save(averaged.module, out)
            torch.save({"model": model.state_dict(), "heads": heads.state_dict()}, out / _STATE)


def main() -> None:
    """Command line."""
    train_together(train, *from_command_line(VqaRecipe, "Train the playground's question answering model."))


if __name__ == "__main__":
    main()
