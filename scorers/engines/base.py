"""What every engine is: it opens a run's models, has them look at parts, and hands over what was seen, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from data.jobs.runs import Observation, WorkItem


@dataclass(frozen=True, slots=True)
class Part:
    """Some images of a run, which are written together."""

    number: int
    work: Sequence[WorkItem]


@dataclass(frozen=True, slots=True)
class Made:
    """What was seen of a part, in its order."""

    number: int
    seen: list[Observation]


@dataclass(frozen=True, slots=True)
class Standing:
    """How an engine's processes stand.

    Attributes:
        devices: what they run on, as people know it (``cuda:0 (NVIDIA H100)``), in the order of the run.
        warnings: what looked odd when the models were opened, or since, a line each.
        versions: of the packages that matter, where the models are.
        memory: bytes, the most that each process held so far, summed; None where it is not known.
        batch_halved: how often a batch was halved because memory ran out, in all.
    """

    devices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    memory: int | None = None
    batch_halved: int = 0


class Engine(Protocol):
    """Models in memory on at least one device while it is used as a context; leaving it ends all its processes.

    Entering raises what opening the models raises: ``ValueError`` (the run cannot be done by this code), ``OSError`` (a model
    is not at hand), ``ImportError``, ``ModelBroken``, or ``RuntimeError`` where every device's process dies.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    @property
    def standing(self) -> Standing:
        """As far as is known now."""
        ...

    def make(self, parts: Sequence[Part], stop: Callable[[], bool]) -> Iterator[Made]:
        """Whole parts as they are ready. Once ``stop`` says so, those at hand are finished and no other is begun.

        Raises:
            ModelBroken: a model gives what no working model gives.
            RuntimeError: a model fails on every image of a part, or the processes die of it.
        """
        ...
