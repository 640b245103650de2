"""People of a crowd platform, who come by a link, answer over HTTP in their own way, and leave in every way."""

from __future__ import annotations

import random
import re
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

Kind = Literal["good", "careless", "failing", "stopping", "vanishing"]
_PICTURE = re.compile(r"/img/([0-9a-f]+)")


def truth(address: str) -> str:
    """What is right about a picture, by its address: no mark on it tells, so who does not look is wrong half of the time."""
    found = _PICTURE.search(address)
    assert found is not None, address
    return "yes" if int(found[1][:2], 16) % 2 else "no"


@dataclass
class Worker:
    """Somebody at work.

    Attributes:
        patience: after so many answers who stops or vanishes does.
        code: that they were shown last, None before they left.
        over: they will not come back.
    """

    url: str
    link: str
    identifier: str
    kind: Kind
    patience: int
    code: str | None = None
    over: bool = False
    answers: int = 0
    client: httpx.Client = field(init=False)
    next: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, trust_env=False, timeout=120)
        self.client.get(f"{self.link}?PROLIFIC_PID={self.identifier}").raise_for_status()
        self.next = self._ask()
        if self.next["state"] == "consent":
            self.client.post("/api/consent", json={"text": self.next["text"]}).raise_for_status()
            self.next = self._ask()

    def work(self, draw: random.Random, n: int) -> None:
        """Answer so many items, or leave."""
        for _ in range(n):
            if self.next["state"] != "label":
                self.code, self.over = self.next.get("code", ""), True
                return
            if self.kind in ("stopping", "vanishing") and self.answers >= self.patience:
                if self.kind == "stopping":
                    self.code = self.client.post("/api/pause", json={}).raise_for_status().json().get("code", "")
                self.over = True
                return
            self._answer(self.next["tasks"][0], draw)

    def _answer(self, task: dict[str, Any], draw: random.Random) -> None:
        right = truth(task["images"][0]["image"])
        wrong = self.kind == "failing" or (self.kind == "careless" and self.next.get("training") is None)
        answers = {"correct": ("no" if right == "yes" else "yes") if wrong else right}
        about = {name: task[name] for name in ("ticket", "campaign", "asked", "offer")}
        body = {"id": str(uuid.uuid4()), "answers": answers, "active_seconds": draw.uniform(4, 20), "following": True}
        self.next = self.client.post("/api/submit", json=about | body).raise_for_status().json()["next"]
        self.answers += 1

    def _ask(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/api/next").raise_for_status().json()
        return found
