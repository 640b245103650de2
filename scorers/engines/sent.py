"""What an actor of Ray gets and does. It imports no Ray: whoever starts actors makes one of this class."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from data.jobs.runs import Observation, Run, WorkItem
from scorers.ahead import decoders
from scorers.base import Shown
from scorers.engines.hand import Broken, Hand, Ready, Task, Told, broken
from scorers.seeing import opened

_MOST_DECODERS: Final = 4
"""Of one actor: nobody knows how many share its machine."""
_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Sent:
    """One image on its way: its file's content, or why that cannot be read."""

    work: WorkItem
    content: bytes | None
    failed: str | None = None


class Actor:
    """Models in a process of Ray's, anywhere.

    Args:
        run: what is asked.
        device: of torch; of several GPUs Ray shows each actor one.
        threads: how many open images; None: as many as suits that machine.
        computing: how many threads torch computes with; None: as it likes.
        environment: variables that matter to what is seen.
    """

    def __init__(
        self, run: Run, device: str, threads: int | None, computing: int | None, environment: Mapping[str, str]
    ) -> None:
        # Ray says 1 to whatever reads this; before torch is imported
        os.environ.pop("OMP_NUM_THREADS", None)
        os.environ.update({**_OFFLINE, "TOKENIZERS_PARALLELISM": "false", **environment})
        os.chdir(_ROOT)  # settings name models below it
        self._asked = run, device, threads or min(_MOST_DECODERS, decoders()), computing
        self._hand: Hand

    def ready(self) -> Ready | Broken:
        """Open the models."""
        run, device, threads, computing = self._asked
        try:
            self._hand = Hand(run, device, shown, threads, computing)
        except Exception as error:
            return broken(error)
        return replace(self._hand.ready, device=f"{self._hand.ready.device} on {socket.gethostname()}")

    def see(self, tasks: Sequence[tuple[int, int | None, Any]]) -> Told | Broken:
        """Look at the first task; the second one may come next. Each is known by its number and place, and is in the store."""
        import ray

        try:
            task, *following = [
                Task(number, (), place) if self._hand.has(number, place) else ray.get(ref) for number, place, ref in tasks
            ]
            return self._hand.see(task, following[0] if following else None)
        except Exception as error:
            return broken(error)


def shown(one: Sent) -> Shown | Observation:
    """What a scorer is shown of an image that was sent, or why it cannot be."""
    if one.content is None:
        return Observation(one.work.item_id, failed=one.failed)
    return opened(one.work, Path(), one.content)
