"""Somebody who has one of Studio's pages open, as an HTTP client that speaks what Gradio's own client in a browser speaks.

It opens the page, runs what the page runs when it opens, and follows it: it asks for the version as ``assets/js/following.js``
does, and runs the page's event when that has moved. What events say is put into the controls, as their values are sent next
time; nothing is drawn. (Twenty browsers are too much for the machine that runs the server, too.)
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from benchmarks.closed_loop import Http, Refused

PAGES: Final = ("", "agreement", "runs", "browse")
_CONFIG: Final = re.compile(r"window\.gradio_config\s*=\s*(\{.*?\});?\s*</script>", re.DOTALL)
_API: Final = "/studio/gradio_api"
Timed = Callable[[str, float, str | None], None]
"""Is told of each request: its kind, seconds, and what went wrong."""


class Viewer:
    """One open page."""

    def __init__(self, port: int, page: str, timed: Timed) -> None:
        self.page = page
        self._http, self._stream, self._alive = Http(port), Http(port), Http(port)
        self._timed = timed
        self._session = uuid.uuid4().hex[:10]
        self._values: dict[int, Any] = {}
        self._hidden: set[int] = set()
        self._events: dict[int, dict[str, Any]] = {}
        self._due: list[int] = []

    async def open(self) -> None:
        """Load the page and run its first events."""
        for one in (self._http, self._stream, self._alive):
            await one.connect()
        html = await self._http.text("GET", f"/studio/{self.page}".rstrip("/") + ("" if self.page else "/"))
        found = _CONFIG.search(html)
        if found is None:
            raise Refused(f"/studio/{self.page} is no page of Gradio's")
        config = json.loads(found[1])
        shown = config.get("page", {}).get(self.page) or {}
        here = set(shown.get("components", [one["id"] for one in config["components"]]))
        for one in config["components"]:
            if one["id"] in here:
                self._values[one["id"]] = one["props"].get("value")
                if one["type"] == "state":
                    self._hidden.add(one["id"])
        allowed = set(shown.get("dependencies", [one["id"] for one in config["dependencies"]]))
        self._events = {one["id"]: one for one in config["dependencies"] if one["id"] in allowed and one["backend_fn"]}
        self._followers = {
            one["id"]: one["props"]["js_on_load"]
            for one in config["components"]
            if "following.js" in str(one["props"].get("js_on_load"))
        }
        self._heartbeat = asyncio.create_task(self._beat())
        self._due = [one for one in self._events if self._listens(one, "load")]
        await self._work_off("open")

    async def _beat(self) -> None:
        """The connection by which Gradio knows that the page is still open."""
        async for _ in self._alive.lines(f"{_API}/heartbeat/{self._session}"):
            pass

    async def follow(self, until: float, seconds: float = 3.0) -> None:
        """Keep the page current until this moment of ``time.perf_counter``."""
        while (now := time.perf_counter()) < until:
            await asyncio.sleep(max(0.0, min(seconds, until - now)))
            try:
                self._due += (
                    await self._moved() if self._followers else [one for one in self._events if self._listens(one, "tick")]
                )
                await self._work_off("follow")
            except (Refused, OSError, asyncio.IncompleteReadError, ValueError, KeyError) as error:
                self._timed("follow", 0.0, f"{type(error).__name__}: {error}"[:200])
                return

    async def _moved(self) -> list[int]:
        """The events of followers whose version has moved: each version is asked for once."""
        told: dict[str, str] = {}
        for script in self._followers.values():
            of = _of(script)
            if of not in told:
                start = time.perf_counter()
                told[of] = (await self._http.json("GET", f"/api/studio/version?of={quote(of)}"))["version"]
                self._timed("poll", time.perf_counter() - start, None)
        due = [one for one, script in self._followers.items() if self._values[one] not in ("", None, told[_of(script)])]
        return [event for one in due for event in self._events if self._listens(event, "select", one)]

    def _listens(self, event: int, to: str, of: int | None = None) -> bool:
        return any(name == to and of in (None, component) for component, name in self._events[event]["targets"])

    async def _work_off(self, kind: str) -> None:
        """Run what is due, and what follows from that, each once at a time."""
        while self._due:
            event = self._due.pop(0)
            start = time.perf_counter()
            said = await self._run(self._events[event])
            self._timed(kind, time.perf_counter() - start, None)
            changed = self._take(self._events[event], said)
            more = [one for one, about in self._events.items() if about.get("trigger_after") == event]
            more += [one for one in self._events if any(self._listens(one, "change", component) for component in changed)]
            self._due += [one for one in dict.fromkeys(more) if one not in self._due]

    async def _run(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        data = [None if one in self._hidden else self._values.get(one) for one in event["inputs"]]
        body = {"data": data, "fn_index": event["id"], "session_hash": self._session, "event_data": None, "trigger_id": None}
        if not event["queue"]:
            return dict(await self._http.json("POST", f"{_API}/run/predict", body))
        await self._http.json("POST", f"{_API}/queue/join", body)
        said: Mapping[str, Any] | None = None
        async for message in self._stream.events(f"{_API}/queue/data?session_hash={self._session}"):
            if message["msg"] == "process_completed":
                if not message["success"]:
                    raise Refused(f"{self.page}: {message['output']}")
                said = message["output"]
        if said is None:
            raise Refused(f"{self.page}: the stream ended without an answer")
        return said

    def _take(self, event: Mapping[str, Any], said: Mapping[str, Any]) -> list[int]:
        """Put what an event said into the controls; which have changed."""
        changed = list(said.get("changed_state_ids") or ())
        for component, value in zip(event["outputs"], said.get("data") or (), strict=False):
            if isinstance(value, dict) and value.get("__type__") == "update":
                if "value" not in value:
                    continue
                value = value["value"]
            if component not in self._hidden and value != self._values.get(component):
                self._values[component] = value
                changed.append(component)
        return changed

    def close(self) -> None:
        self._heartbeat.cancel()
        for one in (self._http, self._stream, self._alive):
            one.close()


def _of(script: str) -> str:
    found = re.search(r'"of": "([^"]*)"', script)
    return found[1] if found else ""
