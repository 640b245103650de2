"""Annotators at work over HTTP, and the campaign that they work on: what the benchmarks of the form share.

Each client sends an answer, waits for the next item, sends the next answer, without a pause. One process and one event loop
for all of them, and as little HTTP as the two servers speak, written by hand: a client library takes longer for a request
than our server does, and would be what is measured. The campaign asks GenEval's questions about made-up pictures; answers
can be told beforehand, and `stored` reads what is kept of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from PIL import Image as Picture

from annotation.questionnaires.base import Question, Questionnaire, check, visible
from concord.form.item_form import campaign_of, item_form
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.prompts.coco import COCO
from data.records import Image, Item, Prompt
from data.store import imports
from data.store.campaign_items import read_tasks
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.imports import ImportBundle

Answers = Mapping[str, Any]
Choose = Callable[[str, str], Answers]
"""A person's answers about an item, by name and ticket."""


class Refused(RuntimeError):
    """A server did not do what it was asked."""


class Http:
    """One kept connection to 127.0.0.1, and the cookies of one browser."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: dict[str, str] = {}

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)

    def close(self) -> None:
        self._writer.close()

    async def json(self, method: str, path: str, body: Any = None) -> Any:
        """What a route says to a request with a JSON body."""
        return json.loads(await self.content(method, path, body))

    async def text(self, method: str, path: str) -> str:
        """A page."""
        return (await self.content(method, path)).decode()

    async def content(self, method: str, path: str, body: Any = None) -> bytes:
        """What a route answers."""
        length = await self._ask(method, path, body)
        if length is None:
            return b"".join([chunk async for chunk in self._chunks()])
        return await self._reader.readexactly(length)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """What an endless answer says, as it comes."""
        if await self._ask("GET", path, None) is None:
            async for chunk in self._chunks():
                yield chunk

    async def events(self, path: str) -> AsyncIterator[Any]:
        """The messages of an event stream, to its end."""
        if await self._ask("GET", path, None) is not None:
            raise Refused(f"{path} is no stream")
        rest = b""
        async for chunk in self._chunks():
            *whole, rest = (rest + chunk).split(b"\n\n")
            for message in whole:
                yield json.loads(message.removeprefix(b"data: "))

    async def _ask(self, method: str, path: str, body: Any) -> int | None:
        """Send a request and read the answer's head; how long its body is, None if it comes in chunks."""
        if self._reader.at_eof():  # a server closes connections that were idle
            self._writer.close()
            await self.connect()
        text = b"" if body is None else json.dumps(body).encode()
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\ncontent-type: application/json\r\n"
        head += f"content-length: {len(text)}\r\n" + (f"cookie: {cookies}\r\n" if cookies else "")
        lines = (await self._exchange(f"{head}\r\n".encode() + text)).decode("latin-1").split("\r\n")
        fields = [line.partition(": ") for line in lines[1:] if line]
        for name, _, value in fields:
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self._cookies[cookie] = content
        headers = {name.lower(): value for name, _, value in fields}
        length = None if headers.get("transfer-encoding") == "chunked" else int(headers["content-length"])
        if not lines[0].startswith("HTTP/1.1 200"):
            raise Refused(f"{method} {path}: {lines[0]} {await self._reader.readexactly(length or 0)!r}")
        return length

    async def _exchange(self, request: bytes) -> bytes:
        """Send a request, the head of what comes back. A connection that was closed just now is made anew, as browsers do."""
        try:
            self._writer.write(request)
            return await self._reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            if isinstance(error, asyncio.IncompleteReadError) and error.partial:
                raise
            await self.connect()
            self._writer.write(request)
            return await self._reader.readuntil(b"\r\n\r\n")

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := int(await self._reader.readline(), 16):
            yield await self._reader.readexactly(size)
            await self._reader.readexactly(2)
        await self._reader.readline()


class HttpPerson(Protocol):
    """Somebody with a form open."""

    @property
    def http(self) -> Http: ...

    async def enter(self) -> None:
        """Give a name and get the first item."""

    async def answer(self) -> None:
        """Send an answer about the present item; returns when it is saved and the next item is here."""


def answer_body(task: Mapping[str, Any], answers: Answers) -> dict[str, Any]:
    """What ``assets/js/form/form.js`` sends: an answer about a task, which asks for what is next, too."""
    about = {name: task[name] for name in ("ticket", "campaign", "asked", "offer")}
    when = {"started": "2026-01-01T00:00:00Z", "active_seconds": 1.5, "revises": None, "following": True}
    return {"id": str(uuid.uuid4())} | about | {"answers": answers} | when


@dataclass
class OurForm:
    """Somebody with our form open."""

    name: str
    campaign: str
    choose: Choose
    http: Http
    saved: set[tuple[str, str]] = field(default_factory=set)
    _task: Mapping[str, Any] = field(default_factory=dict)

    async def enter(self) -> None:
        await self.http.json("POST", "/api/name", {"name": self.name})
        await self.http.json("POST", "/api/campaign", {"campaign": self.campaign})
        self._take(await self.http.json("GET", "/api/next"))

    async def answer(self) -> None:
        ticket = self._task["ticket"]
        body = answer_body(self._task, self.choose(self.name, ticket))
        reply = await self.http.json("POST", "/api/submit", body)
        if (reply["saved"], reply["new"], reply["status"]) != (True, True, "valid"):
            raise Refused(f"{self.name}: {reply}")
        self.saved.add((self.name, ticket))
        self._take(reply["next"])

    def _take(self, reply: Mapping[str, Any]) -> None:
        if reply["state"] != "label":
            raise Refused(f"{self.name}: {reply}")
        self._task = reply["tasks"][0]


@dataclass
class QueuedForm:
    """What Gradio's own client sends: an event joins the queue, and a stream tells when it has been processed."""

    name: str
    choose: Choose
    http: Http
    ids: Sequence[str]
    saved: set[tuple[str, str]] = field(default_factory=set)
    _session: str = field(default_factory=lambda: uuid.uuid4().hex[:10])
    _functions: Mapping[str, int] = field(default_factory=dict)
    _ticket: str = ""

    async def enter(self) -> None:
        config = await self.http.json("GET", "/config")
        self._functions = {client["api_name"]: client["id"] for client in config["dependencies"]}
        # of a state the browser sends nothing, and gets nothing
        _, self._ticket, *_ = await self._event("enter", [self.name])

    async def answer(self) -> None:
        ticket = self._ticket
        answers = self.choose(self.name, ticket)
        values = [answers.get(id_, [] if id_.startswith("color") else None) for id_ in self.ids]
        self._ticket, *_ = await self._event("submit", [None, ticket, False, *values])
        self.saved.add((self.name, ticket))

    async def _event(self, function: str, data: list[Any]) -> list[Any]:
        body = event_body(self._functions[function], data, self._session)
        made: list[Any] = (await queued_event("/gradio_api", self.http, self.http, body))["data"]
        return made


def event_body(function: int, data: list[Any], session: str) -> dict[str, Any]:
    """What Gradio's client sends for an event."""
    return {"data": data, "fn_index": function, "session_hash": session, "event_data": None, "trigger_id": None}


async def queued_event(api: str, http: Http, stream: Http, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an event gives that goes through Gradio's queue."""
    await http.json("POST", f"{api}/queue/join", body)
    output: Mapping[str, Any] | None = None
    async for message in stream.events(f"{api}/queue/data?session_hash={body['session_hash']}"):
        if message["msg"] == "process_completed":
            if not message["success"]:
                raise Refused(str(message["output"]))
            output = message["output"]
    if output is None:
        raise Refused("the stream ended without an answer")
    return output


@dataclass(frozen=True, slots=True)
class Loop:
    """One round of a side: seconds from answer to next item, one by one, and for all together."""

    waits: list[float]
    seconds: float


async def enter(people: Sequence[HttpPerson]) -> None:
    """Let everybody come, one after the other."""
    for person in people:
        await person.http.connect()
        await person.enter()
        person.http.close()


async def work(people: Sequence[HttpPerson], n: int) -> Loop:
    """Everybody answers ``n`` items, all at once."""
    for person in people:
        await person.http.connect()  # servers close connections that were idle
    waits: list[float] = []

    async def client(person: HttpPerson) -> None:
        for _ in range(n):
            start = time.perf_counter()
            await person.answer()
            waits.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*map(client, people))
    seconds = time.perf_counter() - start
    for person in people:
        person.http.close()
    return Loop(waits, seconds)


NAME: Final = "benchmark"
SUITE: Final = "geneval"
_PICTURE_SIDE: Final = 512
_VARIANTS: Final = 12


def make_campaign(store: Store, folder: Path, images: int, people: int, side: int = _PICTURE_SIDE) -> None:
    """A running campaign about ``images`` pictures in ``folder``, where there is room for so many people at every picture."""
    folder.mkdir()
    prompts = [_prompt(n) for n in range(60)]
    painted = [_picture(folder / f"{n:04}.jpg", prompts[n % len(prompts)], n, side) for n in range(images)]
    items = [Item(picture.image_id, SUITE, picture.prompt_id, None, picture.generator) for picture in painted]
    imports.apply(store, [ImportBundle("images", "generator", SUITE, prompts, painted, items)])
    management.create(store, Campaign(NAME, "A benchmark", overlap=people), [CampaignItem(item.item_id) for item in items])
    management.move(store, NAME, "running")


def _prompt(n: int) -> Prompt:
    """One of GenEval's six tasks, in turn."""
    a, b = COCO[n % len(COCO)], COCO[(n + 31) % len(COCO)]
    specs: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
        ("single_object", f"a photo of a {a}", [{"class": a, "count": 1}]),
        ("two_object", f"a photo of a {a} and a {b}", [{"class": a, "count": 1}, {"class": b, "count": 1}]),
        ("counting", f"a photo of three {a}s", [{"class": a, "count": 3}]),
        ("colors", f"a photo of a red {a}", [{"class": a, "count": 1, "color": "red"}]),
        (
            "position",
            f"a photo of a {b} left of a {a}",
            [{"class": a, "count": 1}, {"class": b, "count": 1, "position": ["left of", 0]}],
        ),
        (
            "color_attr",
            f"a photo of a red {a} and a blue {b}",
            [{"class": a, "count": 1, "color": "red"}, {"class": b, "count": 1, "color": "blue"}],
        ),
    )
    tag, text, include = specs[n % len(specs)]
    return Prompt(f"{SUITE}/{n:05}", SUITE, text, tag, {"tag": tag, "include": include, "prompt": text})


def _picture(path: Path, prompt: Prompt, n: int, side: int) -> Image:
    """A JPEG of about the bytes of a photo, that no other is like."""
    coarse = np.random.default_rng(n).integers(0, 256, (32, 32, 3), np.uint8)
    Picture.fromarray(coarse).resize((side, side), Picture.Resampling.BICUBIC).save(path, quality=95)
    return Image(prompt.prompt_id, "generator", n, path, hashlib.sha256(path.read_bytes()).hexdigest(), side, side)


@dataclass(frozen=True, slots=True)
class ItemQuestions:
    """What is asked about an item: ``ticket`` names it, ``sha256`` and ``file`` its picture."""

    ticket: str
    questionnaire: Questionnaire
    sha256: str
    file: str


def questions_by_ticket(store: Store, folder: Path) -> list[ItemQuestions]:
    """All items of the campaign."""
    campaign = campaign_of(store, NAME)
    assert campaign is not None
    files = {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in folder.iterdir()}
    with store.read() as cursor:
        tasks = read_tasks(cursor, [item.item_id for item in management.items(store, NAME)]).values()
    return [
        ItemQuestions(task.public_id, item_form(store, campaign, task, "").questionnaire, sha256, files[sha256])
        for task in tasks
        for sha256 in [task.pictures[0].sha256]
    ]


def first_count(questionnaire: Questionnaire) -> str:
    """The words of the question that all of them have and few share."""
    return next(question.text for question in questionnaire.questions if question.id == "count_0")


def chooser(items: Sequence[ItemQuestions]) -> Choose:
    """Answers that follow from who is asked what, and are spread over all that can be answered."""
    questionnaires = {questions.ticket: questions.questionnaire for questions in items}

    @cache
    def answers(ticket: str, variant: int) -> Mapping[str, Any]:
        questionnaire = questionnaires[ticket]
        replies: dict[str, Any] = {}
        for index, question in enumerate(questionnaire.questions):
            replies[question.id] = _answer(question, variant + 5 * index)
        checked = check(questionnaire, {id_: replies[id_] for id_ in visible(questionnaire, replies)})
        assert not checked.errors
        return checked.answers

    return lambda name, ticket: answers(ticket, zlib.crc32(f"{name} {ticket}".encode()) % _VARIANTS)


def _answer(question: Question, number: int) -> Any:
    if question.kind == "text":
        return f"a thing, {number} others"
    values = [option.value for option in question.options]
    if question.kind == "colors":
        return sorted({values[number % len(values)], values[3 * number % len(values)]}, key=values.index)
    return values[number % len(values)]


Row = tuple[str, str, str, str, frozenset[tuple[Any, ...]]]
"""Item, person, status, answers as JSON, and what was derived: (item, person, aspect, target, label, value, reason, rule)."""


def stored(project: Path) -> tuple[list[Row], dict[str, str]]:
    """Every answer as it lies on disk, sorted; and the ticket of each item."""
    with Store(project) as store, store.read() as cursor:
        records = cursor.execute("select annotation_id, item_id, rater_id, status, answers from annotations").fetchall()
        derived = cursor.execute(
            "select source_id, item_id, rater_id, aspect, target, label, value, reason, rule_version from judgements"
        ).fetchall()
        tickets = dict(cursor.execute("select item_id, public_id from items").fetchall())
    follows: dict[str, set[tuple[Any, ...]]] = {}
    for source, *judged in derived:
        follows.setdefault(source, set()).add(tuple(judged))
    rows = [
        (item, person, status, json.dumps(json.loads(answers), sort_keys=True), frozenset(follows.get(id_, ())))
        for id_, item, person, status, answers in records
    ]
    return sorted(rows, key=lambda row: row[:4]), tickets
