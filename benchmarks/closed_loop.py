"""People at work as HTTP clients: each sends an answer, waits for the next item, sends the next answer, without a pause.

One process and one event loop for all of them, and as little HTTP as the two servers speak, written by hand: a client library
takes longer for a request than our server does, and would be what is measured.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

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
        told = (await self._exchange(f"{head}\r\n".encode() + text)).decode("latin-1").split("\r\n")
        fields = [line.partition(": ") for line in told[1:] if line]
        for name, _, value in fields:
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self._cookies[cookie] = content
        found = {name.lower(): value for name, _, value in fields}
        length = None if found.get("transfer-encoding") == "chunked" else int(found["content-length"])
        if not told[0].startswith("HTTP/1.1 200"):
            raise Refused(f"{method} {path}: {told[0]} {await self._reader.readexactly(length or 0)!r}")
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


class Person(Protocol):
    """Somebody with a form open."""

    @property
    def http(self) -> Http: ...

    async def enter(self) -> None:
        """Give a name and get the first item."""

    async def answer(self) -> None:
        """Send an answer about the present item; returns when it is saved and the next item is here."""


@dataclass
class Ours:
    """What ``assets/form.js`` sends: the answer, then a request for what is next."""

    name: str
    campaign: str
    choose: Choose
    http: Http
    saved: set[tuple[str, str]] = field(default_factory=set)
    _task: Mapping[str, Any] = field(default_factory=dict)

    async def enter(self) -> None:
        await self.http.json("POST", "/api/name", {"name": self.name})
        await self.http.json("POST", "/api/campaign", {"campaign": self.campaign})
        await self._next()

    async def answer(self) -> None:
        ticket = self._task["ticket"]
        body = {
            "id": str(uuid.uuid4()),
            "ticket": ticket,
            "campaign": self._task["campaign"],
            "asked": self._task["asked"],
            "offer": self._task["offer"],
            "answers": self.choose(self.name, ticket),
            "started": "2026-01-01T00:00:00Z",
            "active_seconds": 1.5,
            "revises": None,
        }
        told = await self.http.json("POST", "/api/submit", body)
        if (told["saved"], told["new"], told["status"]) != (True, True, "valid"):
            raise Refused(f"{self.name}: {told}")
        self.saved.add((self.name, ticket))
        await self._next()

    async def _next(self) -> None:
        told = await self.http.json("GET", "/api/next")
        if told["state"] != "label":
            raise Refused(f"{self.name}: {told}")
        self._task = told["tasks"][0]


@dataclass
class Queued:
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
        self._functions = {one["api_name"]: one["id"] for one in config["dependencies"]}
        # of a state the browser sends nothing, and gets nothing
        _, self._ticket, *_ = await self._event("enter", [self.name])

    async def answer(self) -> None:
        ticket = self._ticket
        said = self.choose(self.name, ticket)
        values = [said.get(id_, [] if id_.startswith("color") else None) for id_ in self.ids]
        self._ticket, *_ = await self._event("submit", [None, ticket, False, *values])
        self.saved.add((self.name, ticket))

    async def _event(self, function: str, data: list[Any]) -> list[Any]:
        body = {"data": data, "fn_index": self._functions[function], "session_hash": self._session}
        await self.http.json("POST", "/gradio_api/queue/join", body | {"event_data": None, "trigger_id": None})
        made: list[Any] | None = None
        async for message in self.http.events(f"/gradio_api/queue/data?session_hash={self._session}"):
            if message["msg"] == "process_completed":
                if not message["success"]:
                    raise Refused(f"{self.name}: {message['output']}")
                made = message["output"]["data"]
        if made is None:
            raise Refused(f"{self.name}: the stream ended without an answer")
        return made


@dataclass(frozen=True, slots=True)
class Loop:
    """One round of a side: seconds from answer to next item, one by one, and for all together."""

    waits: list[float]
    seconds: float


async def enter(people: Sequence[Person]) -> None:
    """Let everybody come, one after the other."""
    for person in people:
        await person.http.connect()
        await person.enter()
        person.http.close()


async def work(people: Sequence[Person], n: int) -> Loop:
    """Everybody answers ``n`` items, all at once."""
    for person in people:
        await person.http.connect()  # servers close connections that were idle
    waits: list[float] = []

    async def one(person: Person) -> None:
        for _ in range(n):
            start = time.perf_counter()
            await person.answer()
            waits.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*map(one, people))
    seconds = time.perf_counter() - start
    for person in people:
        person.http.close()
    return Loop(waits, seconds)
