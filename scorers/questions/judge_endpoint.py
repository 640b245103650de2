"""A judge at an address: each question about an image is a request of its own, with the choices by letter.

Where the endpoint gives the probabilities of the first token, those of the letters are the choices' (scaled to sum to 1); else
the shares of ``samples`` replies. A reply that names no choice is no answer (``scorers.questions.judge_replies``).

Replies lie in ``runs/replies/`` beside the project's runs, and outlive them: a file of JSON lines for each process and rater (a
hash of its settings). A reply is known by its request, image and all; so nothing is paid for twice, and a run that was killed,
or is made anew, goes on from what is there. No line has the key.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from PIL import Image

from data.files import InputError, printable
from data.jobs.json_records import open_journal, read_journal
from scorers.base import ModelBroken, Settings
from scorers.models.language_endpoint import Completion, Endpoint, EndpointError, EndpointUnwell, Failure
from scorers.models.vqa import VqaAnswer, VqaQuestion
from scorers.questions.judge_replies import read_reply

FOLDER: Final = "replies"
_MILLION: Final = 1_000_000


@dataclass(slots=True)
class Usage:
    """What requests have cost.

    Attributes:
        requests: those that were answered, or failed; ``untold``: those of them whose tokens the endpoint does not tell.
        tokens_in, tokens_out: of the others.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count a line."""
        tokens_in, tokens_out = entry.get("tokens_in"), entry.get("tokens_out")
        self.requests += 1
        if isinstance(tokens_in, int) and isinstance(tokens_out, int):
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
        else:
            self.untold += 1

    def cost(self, settings: Settings) -> Decimal | None:
        """At the prices that the settings name, exactly; None without prices."""
        into, out = (Decimal(str(settings.get(name, 0))) for name in ("price_in", "price_out"))
        return (self.tokens_in * into + self.tokens_out * out) / _MILLION if into or out else None


def request_key(body: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a request."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


class Replies:
    """The replies to one rater, those of earlier runs too. Thread-safe.

    Args:
        folder: the run's.
        rater: a hash of what makes it this rater.

    Raises:
        ModelBroken: earlier replies cannot be read.
    """

    def __init__(self, folder: Path, rater: str) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Completion] = {}
        self._run = folder.name
        self.usage = Usage()
        self.model = ""
        """Who has replied so far, as the endpoint calls it."""
        home = replies_folder(folder)
        home.mkdir(exist_ok=True)
        for entry in _entries(home, f"{rater}-*.jsonl"):
            self._learn(entry)
        self._journal = open_journal(home / f"{rater}-{socket.gethostname()}-{os.getpid()}.jsonl")
        self._append = self._journal.__enter__()

    def known(self, key: str) -> Completion | None:
        """The reply to this request, if there was one."""
        with self._lock:
            return self._known.get(key)

    def add(self, key: str, reply: Completion | Failure) -> None:
        """A reply, or what it cost to get none; on disk when the call returns.

        Raises:
            ModelBroken: another model replies than before.
        """
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        entry = {"key": key, "run": self._run, "time": now, **asdict(reply)}
        with self._lock:
            self._append(entry)
            before = self.model
            self._learn(entry)
        if isinstance(reply, Completion) and before and reply.model and reply.model != before:
            raise ModelBroken(
                f"the endpoint has changed its model: {reply.model!r} replies now, {before!r} did before; --set date=YYYY-MM-DD"
                " makes another rater of it"
            )

    def _learn(self, entry: Mapping[str, Any]) -> None:
        self.usage.add(entry)
        # the reply of another model is paid for, and no reply of this rater
        if "text" in entry and (not self.model or not entry["model"] or entry["model"] == self.model):
            names = ("text", "tokens_in", "tokens_out", "finished", "model", "first_token")
            self._known[str(entry["key"])] = Completion(**{name: entry[name] for name in names})
            self.model = self.model or str(entry["model"])


def replies_folder(run: Path) -> Path:
    """Where the replies of this run lie: beside the project's runs; of a run outside a project within it."""
    return run.parent / FOLDER if run.parent.name == "runs" else run / FOLDER


def usage_of(folders: Sequence[Path]) -> Usage:
    """What these runs have cost, whatever stopped them."""
    usage = Usage()
    for folder in folders:
        home = replies_folder(folder)
        # a removed run's name may come again: what counts came after this one was asked for
        begun = datetime.fromtimestamp((folder / "manifest.jsonl").stat().st_mtime, UTC).isoformat(timespec="microseconds")
        for entry in _entries(home, "*.jsonl") if home.is_dir() else ():
            if entry.get("run") == folder.name and str(entry.get("time")) >= begun:
                usage.add(entry)
    return usage


def _entries(home: Path, pattern: str) -> Iterator[Mapping[str, Any]]:
    for path in sorted(home.glob(pattern)):
        try:
            yield from read_journal(path)
        except InputError as error:
            raise ModelBroken(f"earlier replies cannot be read: {error}") from error


QUESTION: Final = "{question}"
OPTIONS: Final = "{options}"
PROMPT: Final = (
    "Look at the image and answer the question about it by one of the options. On the first line write the letter of the option"
    " and nothing else. On the second line say in one sentence what in the image shows it.\n\n{question}\n{options}"
)
_MOST_TOKENS: Final = 200
"""Of a reply: a letter and a sentence."""
_ALTERNATIVES: Final = 20
"""As many as OpenAI's interface allows."""
_MOST_UNWELL: Final = 3
"""Questions in a row that the endpoint does not answer, after all attempts."""
_MOST_QUOTED: Final = 300
"""Characters of a reply that names no choice; all of it lies among the replies."""
_LEAST_LETTERS: Final = 0.5
"""Of the first token's probability, for the letters to be the answer: other replies begin with other words."""


class NotAnswered(Exception):
    """The endpoint gave no reply about an image now; it may later."""


def image_url(image: Image.Image, most: int) -> str:
    """The image as it is sent: a PNG, its longer side at most ``most`` pixels."""
    if max(image.size) > most:
        scale = most / max(image.size)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def letter_shares(first_token: Mapping[str, float] | None, n: int) -> list[float] | None:
    """The probabilities of n choices by those of their letters, summing to 1; None where no letter begins
    the reply."""
    if first_token is None:
        return None
    shares = [0.0] * n
    for token, probability in first_token.items():
        index = ascii_uppercase.find(token.strip()) if len(token.strip()) == 1 else -1
        if 0 <= index < n:
            shares[index] += probability
    total = sum(shares)
    return [share / total for share in shares] if total > _LEAST_LETTERS else None


class EndpointJudge:
    """One rater behind an address. ``known``: its replies so far.

    Attributes:
        settings: see ``scorers.questions.judge``.
    """

    def __init__(self, endpoint: Endpoint, settings: Settings, known: Replies) -> None:
        self._endpoint, self.settings, self._replies = endpoint, settings, known
        self._unwell = 0
        self._lock = threading.Lock()
        self._under_way = 0
        self._dearest = 0

    def answer(
        self, images: Sequence[Image.Image], queries: Sequence[Sequence[VqaQuestion]]
    ) -> list[list[VqaAnswer | Failure] | Failure]:
        """The answers to each image's questions, in their order: ``Failure`` where the reply is no answer, or is refused; one
        ``Failure`` for an image about which the endpoint did not reply.

        Raises:
            ModelBroken: nothing more is to be had, another model replies, or the budget is spent.
        """
        with ThreadPoolExecutor(int(self.settings["at_once"])) as pool:
            urls = [image_url(image, int(self.settings["image_size"])) for image in images]
            tasks = [[pool.submit(self._one, url, query) for query in some] for url, some in zip(urls, queries, strict=True)]
            try:
                return [_gathered(some) for some in tasks]
            except EndpointError as error:
                raise ModelBroken(str(error)) from error
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _one(self, url: str, query: VqaQuestion) -> VqaAnswer | Failure:
        n = len(query.choices)
        shares: list[float] = [0.0] * n
        picked: Counter[int] = Counter()
        reasons: dict[int, str | None] = {}
        weighed = 0
        samples = int(self.settings["samples"])
        for sample in range(samples):
            reply = self._reply(url, query, sample)
            if isinstance(reply, Failure):
                return reply
            read = read_reply(reply.text, query.choices)
            if read.choice is None:
                return Failure(
                    f"its reply names none of the choices: {printable(' '.join(reply.text.split()))[:_MOST_QUOTED]!r}"
                )
            picked[read.choice] += 1
            reasons.setdefault(read.choice, read.reason)
            if (some := letter_shares(reply.first_token, n)) is not None:
                weighed += 1
                shares = [a + b for a, b in zip(shares, some, strict=True)]
        if weighed == samples:
            probabilities: tuple[float, ...] | None = tuple(share / samples for share in shares)
        else:
            probabilities = tuple(picked[index] / samples for index in range(n)) if samples > 1 else None
        best = max(range(n), key=lambda index: (picked[index], probabilities[index] if probabilities else 0.0, -index))
        return VqaAnswer(query.choices[best], probabilities, reasons[best], "likelihood" if probabilities else "equal")

    def _reply(self, url: str, query: VqaQuestion, sample: int) -> Completion | Failure:
        listed = "\n".join(f"{ascii_uppercase[k]}. {choice}" for k, choice in enumerate(query.choices))
        text = str(self.settings["prompt"]).replace(OPTIONS, listed).replace(QUESTION, query.text)
        turn = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": text}]}
        more: dict[str, Any] = {"temperature": float(self.settings["temperature"]), "max_tokens": _MOST_TOKENS}
        if int(self.settings["logprobs"]):
            more |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
        if int(self.settings["samples"]) > 1:
            more |= {"seed": sample}
        key = request_key({"turn": turn, **more})
        if (before := self._replies.known(key)) is not None:
            return before
        self._reserve()
        try:
            reply = self._endpoint.complete([turn], **more)
        except EndpointUnwell as error:
            self._replies.add(key, error.failure)
            self._unwell += 1
            if self._unwell >= _MOST_UNWELL:
                raise
            raise NotAnswered(error.failure.reason) from error
        finally:
            with self._lock:
                self._under_way -= 1
        self._unwell = 0
        self._replies.add(key, reply)
        with self._lock:
            self._dearest = max(self._dearest, (reply.tokens_in or 0) + (reply.tokens_out or 0))
        return reply

    def _reserve(self) -> None:
        """Room in the budget for one request more, as dear as the dearest so far."""
        budget = float(self.settings["budget"])
        with self._lock:
            if budget:
                usage = self._replies.usage
                if usage.untold:
                    raise ModelBroken("the endpoint does not say how many tokens it used, so a budget cannot be kept")
                dearest = max(float(self.settings["price_in"]), float(self.settings["price_out"])) * self._dearest / 1e6
                spent = float(usage.cost(self.settings) or 0) + dearest * (self._under_way + 1)
                if spent > budget or (not self._dearest and spent >= budget):
                    raise ModelBroken(f"the budget of {budget:g} is spent; --set budget= with more goes on from here")
            self._under_way += 1


def _gathered(tasks: Sequence[Any]) -> list[VqaAnswer | Failure] | Failure:
    try:
        return [task.result() for task in tasks]
    except NotAnswered as error:
        return Failure(f"the endpoint did not answer: {error}")
