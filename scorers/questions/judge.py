"""Vision-language models as raters: the scorers ``judge`` (the prompt's questions), ``rubric`` (a grade from 0 to 10) and
``pairwise`` (the better of two images).

A judge is a model on this machine, or one behind an OpenAI-compatible address. The rater is what would change its answers:
model, address, temperature, samples, prompt, image size, and the ``date`` under which it was pinned. Prices, budget and rate
limit are a run's. The key comes from the environment variable ``CONCORD_API_KEY``; the worker goes to that address and to no
other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx
from PIL import Image

from data.aspects import SCALES
from data.jobs.runs import Observation, WorkItem
from data.prompts import flips
from scorers.base import Flips, HostedModel, Scorer, Settings, Shown
from scorers.models.language_endpoint import KEY, Endpoint, Failure
from scorers.models.vqa import VqaAnswer, VqaQuestion, check_vqa, open_vqa
from scorers.questions import rules, tifa
from scorers.questions.judge_endpoint import OPTIONS, PROMPT, QUESTION, EndpointJudge, Replies, request_key, usage_of
from scorers.questions.rules import AnsweredQuestion

if TYPE_CHECKING:
    from data.prompts.questions import PromptQuestion
    from scorers.models.vqa import Vqa

TEXT: Final = "{text}"
RUBRIC_TEXT: Final = (
    'How well does the image show this: "{text}"? 10: all of it, as a careful reader expects; 5: the main things, with clear'
    " mistakes; 0: nothing of it. Do not judge beauty."
)
PAIR_TEXT: Final = (
    'Two images stand side by side. Which one shows this better: "{text}"? Say "no difference" where both show it equally well'
    " or badly. Do not judge beauty."
)
OPERATING: Final[Settings] = {
    "price_in": 0.0, "price_out": 0.0, "budget": 0.0, "per_minute": 0.0, "at_once": 4, "timeout": 120.0,
}  # fmt: skip
"""Prices in any currency for a million tokens; ``per_minute``: requests; ``timeout``: seconds."""
_ENDPOINT: Final[Settings] = {
    "vqa": "", "address": "http://127.0.0.1:8000/v1", "judge": "Qwen/Qwen3-VL-8B-Instruct", "temperature": 0.0,
    "samples": 1, "logprobs": 1, "image_size": 1024, "prompt": PROMPT,
}  # fmt: skip
"""A server on this machine (vLLM's usual port) with GenEval 2's judge; ``--set address= judge=`` names another."""
_PROFILES: Final[Mapping[str, Settings]] = {
    "playground": {"vqa": "assets/playground/vqa"},
    "qwen": {"vqa": "Qwen/Qwen3-VL-2B-Instruct"},
    "smolvlm": {"vqa": "HuggingFaceTB/SmolVLM2-2.2B-Instruct"},
    "endpoint": _ENDPOINT,
}
_CHARACTERS: Final = 4
"""Of a token, roughly, in English."""
_PATCH: Final = 28
"""Pixels of the side of an image's token in Qwen's models; others differ by a factor of two."""
_TOKENS_OUT: Final = 40
_FIELDS_OF_RATER: Final = ("address", "judge", "temperature", "samples", "logprobs", "image_size", "prompt", "date")


class _Judge:
    """A model on this machine, or an endpoint: opened when first asked, as only then its earlier replies are known."""

    def __init__(self, settings: Settings, device: str) -> None:
        self._settings = {**OPERATING, **tifa.OPTIONS, **settings}
        self._folder: Path | None = None
        self._endpoint: EndpointJudge | None = None
        self._vqa: Vqa | None = None
        self.warnings: tuple[str, ...] = ()
        if settings["vqa"]:
            self._vqa = open_vqa(settings["vqa"], device, {**self._settings, "answering": tifa.CHOICES})
            self.warnings = check_vqa(self._vqa, settings["vqa"])

    def remember(self, folder: Path | None) -> None:
        """The run's folder; only a single process of the engine local has it.

        Raises:
            ValueError: it is needed, and not there.
        """
        if folder is None and self._vqa is None:
            raise ValueError("a judge at an address is asked by one process: --device cpu, and the engine local")
        self._folder = folder

    def answer(self, batch: Sequence[Shown], queries: list[list[VqaQuestion]]) -> list[list[VqaAnswer | Failure] | Failure]:
        images = [shown.image for shown in batch]
        if self._vqa is not None:
            return [[*answers] for answers in self._vqa.answer(images, queries)]
        if self._endpoint is None:
            assert self._folder is not None
            rater = request_key({name: self._settings.get(name, "") for name in _FIELDS_OF_RATER})[:12]
            self._endpoint = EndpointJudge(_endpoint(self._settings), self._settings, Replies(self._folder, rater))
        return self._endpoint.answer(images, queries)


class JudgePerceiver(_Judge):
    """Asks the prompts' questions."""

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. Images of prompts without questions fail, and those about which there was no answer at all."""
        fit = [shown for shown in batch if shown.questions]
        queries = [[VqaQuestion(question.text, question.choices) for question in shown.questions] for shown in fit]
        answers = dict(zip((shown.item_id for shown in fit), self.answer(fit, queries), strict=True))
        missing = Failure(tifa.NO_QUESTIONS)
        return [_observed(shown, answers.get(shown.item_id, missing)) for shown in batch]


def _observed(shown: Shown, answers: list[VqaAnswer | Failure] | Failure) -> Observation:
    if isinstance(answers, Failure):
        return Observation(shown.item_id, failed=answers.reason)
    right: list[AnsweredQuestion] = []
    left: list[tuple[PromptQuestion, str]] = []
    for question, answer in zip(shown.questions, answers, strict=True):
        if isinstance(answer, Failure):
            left.append((question, answer.reason))
        else:
            reply = (answer.chosen, answer.probabilities, answer.free, answer.matched, answer.similarity)
            right.append(AnsweredQuestion(question, *reply))
    if not right:
        return Observation(shown.item_id, failed=f"none of its questions was answered: {left[0][1]}")
    return Observation(shown.item_id, rules.payload_of(shown.version, right, left))


class RubricPerceiver(_Judge):
    """Asks for a grade of each image."""

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``grade``, ``probabilities`` of 0 to 10 where there are any, ``reason``."""
        queries = [[VqaQuestion(self._settings["rubric"].replace(TEXT, shown.text), rules.GRADES)] for shown in batch]
        observations = []
        for shown, answers in zip(batch, self.answer(batch, queries), strict=True):
            answer = answers if isinstance(answers, Failure) else answers[0]
            if isinstance(answer, Failure):
                observations.append(Observation(shown.item_id, failed=answer.reason))
            else:
                shares = None if answer.probabilities is None else list(answer.probabilities)
                observations.append(
                    Observation(shown.item_id, {"grade": answer.chosen, "probabilities": shares, "reason": answer.free})
                )
        return observations


class PairPerceiver(_Judge):
    """Asks which image of a pair is the better one, twice: with the first on the left, and on the right."""

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``generators``; ``orders``: of each ``chosen``, ``probabilities`` of the sides, ``reason``."""
        looks = [replace(shown, image=side_by_side(*two)) for shown in batch for two in _both_orders(shown)]
        queries = [[VqaQuestion(self._settings["rubric"].replace(TEXT, look.text), rules.SIDES)] for look in looks]
        answers = [answer if isinstance(answer, Failure) else answer[0] for answer in self.answer(looks, queries)]
        observations = []
        for shown, two in zip(batch, zip(answers[::2], answers[1::2], strict=True), strict=True):
            failed = next((answer for answer in two if isinstance(answer, Failure)), None)
            if failed is not None:
                observations.append(Observation(shown.item_id, failed=failed.reason))
                continue
            orders = [
                {"chosen": answer.chosen, "probabilities": answer.probabilities, "reason": answer.free}
                for answer in two
                if not isinstance(answer, Failure)
            ]
            observations.append(Observation(shown.item_id, {"generators": list(shown.generators), "orders": orders}))
        return observations


def _both_orders(shown: Shown) -> tuple[tuple[Image.Image, Image.Image], tuple[Image.Image, Image.Image]]:
    assert shown.second is not None
    return (shown.image, shown.second), (shown.second, shown.image)


def side_by_side(left: Image.Image, right: Image.Image) -> Image.Image:
    """Both in one picture, as they are, on white with a gap: models that read one image can compare them, too."""
    height, gap = max(left.height, right.height), max(left.width, right.width) // 32
    both = Image.new("RGB", (left.width + gap + right.width, height), "white")
    both.paste(left, (0, (height - left.height) // 2))
    both.paste(right, (left.width + gap, (height - right.height) // 2))
    return both


def _endpoint(settings: Settings) -> Endpoint:
    timeout = httpx.Timeout(settings["timeout"], connect=min(10.0, settings["timeout"]))
    key = os.environ.get(KEY) or None
    return Endpoint(settings["address"], settings["judge"], key, timeout=timeout, per_minute=settings["per_minute"])


class _JudgeBill:
    """See ``scorers.base.Bill``; of a model on this machine there is none."""

    def __init__(self, *, asks: bool, orders: int = 1) -> None:
        self._asks, self._orders = asks, orders

    def estimate(self, work: Sequence[WorkItem], settings: Settings) -> str:
        if settings["vqa"]:
            return ""
        each = len(settings["prompt"]) + (0 if self._asks else len(settings["rubric"]))
        texts = (
            [question.text for image in work for question in image.questions]
            if self._asks
            else [image.text for image in work] * self._orders
        )
        requests = len(texts) * int(settings["samples"])
        tokens_in = int(settings["samples"]) * sum(map(len, texts)) // _CHARACTERS
        tokens_in += requests * (each // _CHARACTERS + settings["image_size"] ** 2 // _PATCH**2)
        tokens_out = requests * _TOKENS_OUT
        into, out = (float(settings.get(name, 0)) for name in ("price_in", "price_out"))
        cost = "; --set price_in= and price_out= (a million tokens) say what that costs"
        if into or out:
            cost = f", {(tokens_in * into + tokens_out * out) / 1e6:,.4f} in all"
        return (
            f"at most {requests:,} requests to {settings['judge']} at {settings['address']}, roughly {tokens_in:,} tokens in"
            f" and {tokens_out:,} out{cost}"
        )

    def spent(self, folders: Sequence[Path], settings: Settings) -> str:
        if settings["vqa"]:
            return ""
        usage = usage_of(folders)
        cost = usage.cost(settings)
        untold = f"; {usage.untold:,} replies do not say how many tokens they took" if usage.untold else ""
        price = "" if cost is None else f", {cost:,.4f} in all"
        return f"{usage.requests:,} requests, {usage.tokens_in:,} tokens in, {usage.tokens_out:,} out{price}{untold}"


def _check(settings: Settings) -> None:
    if settings.get("score", rules.SHARE) not in rules.SCORES:
        raise ValueError(f"score must be one of {', '.join(rules.SCORES)}, got {settings['score']!r}")
    if settings.get("rubric", TEXT).count(TEXT) != 1:
        raise ValueError(f"rubric must hold {TEXT} once, where the prompt is to stand")
    if flip := settings.get("flip"):
        flips.check_kind(flip)
    if pinned := settings.get("date"):
        try:
            date.fromisoformat(pinned)
        except ValueError:
            raise ValueError(f"date must be a day such as 2026-11-25, got {pinned!r}") from None
    if not settings["vqa"]:
        _check_endpoint({**OPERATING, **settings})


def _check_endpoint(settings: dict[str, Any]) -> None:
    if not settings["address"] or not settings["judge"]:
        raise ValueError("name the endpoint: --set address=https://HOST/v1 --set judge=MODEL")
    # an address that holds a password must not become a rater's setting
    Endpoint(settings["address"], settings["judge"]).close()
    for name, least, most in (
        ("temperature", 0, 2), ("samples", 1, 100), ("logprobs", 0, 1), ("image_size", 64, 4096), ("price_in", 0, 1e6),
        ("price_out", 0, 1e6), ("budget", 0, 1e9), ("per_minute", 0, 1e6), ("at_once", 1, 64), ("timeout", 0.1, 3600),
    ):  # fmt: skip
        if not least <= settings[name] <= most:
            raise ValueError(f"{name} must be between {least:g} and {most:g}, got {settings[name]!r}")
    if settings["samples"] > 1 and not settings["temperature"]:
        raise ValueError("several samples need a temperature above 0, or all of them are the same")
    if any(settings["prompt"].count(mark) != 1 for mark in (QUESTION, OPTIONS)):
        raise ValueError(f"prompt must hold {QUESTION} and {OPTIONS} once each")
    if settings["budget"] and not (settings["price_in"] or settings["price_out"]):
        raise ValueError("a budget needs price_in and price_out, for a million tokens each")


_HOSTED: Final = HostedModel(("judge", "address"), OPERATING, _JudgeBill(asks=True))

JUDGE: Final = Scorer(
    name="judge",
    version="1",
    summary="Has a model that chats answer the prompt's questions, on this machine or at an address, with its reasons.",
    profiles=_PROFILES,
    judging=frozenset({"score"}),
    open=JudgePerceiver,
    judge=rules.judge_soft,
    scales={name: SCALES[name] for name in ("answer", "score")},
    models=frozenset({"vqa"}),
    check=_check,
    options={"score": rules.SHARE, "date": "", "rotations": 0},
    input="questions",
    hosted=_HOSTED,
)

RUBRIC: Final = replace(
    JUDGE,
    name="rubric",
    summary="Has such a model grade how well the image shows the prompt, from 0 to 10, by a rubric.",
    # the playground's model reads 24 tokens: too few for a rubric
    profiles={name: {**values, "rubric": RUBRIC_TEXT} for name, values in _PROFILES.items() if name != "playground"},
    judging=frozenset(),
    open=RubricPerceiver,
    judge=rules.judge_grade,
    scales={name: SCALES[name] for name in ("score", "flipped")},
    options={"date": "", "rotations": 0, "flip": ""},
    input="image",
    flips=Flips(rejudges=False),
    hosted=replace(_HOSTED, bill=_JudgeBill(asks=False)),
)

PAIRWISE: Final = replace(
    RUBRIC,
    name="pairwise",
    summary="Has such a model choose the better image of each pair, in both orders; where these disagree it is a tie.",
    # both images share the size
    profiles={
        name: {**values, "rubric": PAIR_TEXT, **({"image_size": 2048} if name == "endpoint" else {})}
        for name, values in _PROFILES.items()
        if name != "playground"
    },
    open=PairPerceiver,
    judge=rules.judge_pair,
    scales={name: SCALES[name] for name in ("preference", "order")},
    options={"date": "", "rotations": 0},
    input="pair",
    flips=None,
    hosted=replace(_HOSTED, bill=_JudgeBill(asks=False, orders=2)),
)
