"""Who does the work of a run: engines by name. An engine is imported when it is asked for, and none decides what comes out.

The worker process (``scorers.running.worker``) owns the run's folder; an engine opens the models, once for every device that
the run names, has them look at parts of the run, and hands over what was seen.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from data.jobs.runs import Run
    from scorers.running.engines.engine import Engine

LOCAL: Final = "local"
RAY: Final = "ray"
ENGINES: Final[dict[str, str]] = {
    LOCAL: "On this machine: one process per device, with threads beside it that open the images.",
    RAY: "Through Ray, on one machine or several: an actor per device (the optional group ray).",
}
"""Each engine and what it is, in a line."""
_MODULES: Final = {LOCAL: "scorers.running.engines.local_processes", RAY: "scorers.running.engines.ray_engine"}
_MOST_DEVICES: Final = 64


def devices(text: str) -> tuple[str, ...]:
    """The devices that ``--device`` names, with commas; one may come twice, and has two processes then.

    Raises:
        ValueError: it names none, or too many.
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"device {text!r}: expected names with commas between them, e.g. cuda:0,cuda:1")
    if len(names) > _MOST_DEVICES:
        raise ValueError(f"{len(names)} devices are too many for one run; the maximum is {_MOST_DEVICES}")
    return names


def check_engine_name(name: str) -> str:
    """The name of an engine.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; known: {', '.join(ENGINES)}")
    return name


def missing_package(name: str) -> str | None:
    """What to tell people where an engine's package is not installed; None if nothing is missing."""
    if name == RAY and find_spec("ray") is None:
        return "the engine ray needs the package ray, which is not installed; install it with: uv sync --group ray"
    return None


def open_engine(run: Run, base: Path, threads: int | None = None) -> Engine:
    """The engine of a run; used as a context, it opens the models.

    Args:
        run: what is asked.
        base: the run's folder, below which images' paths may be.
        threads: how many open images, in all processes of this machine together; None: as many as suits it.

    Raises:
        ValueError: there is no such engine, it is not installed, it cannot have these devices, or this code cannot do the run.
    """
    from scorers.running.engines.device_worker import check_run

    if (why := missing_package(check_engine_name(run.engine))) is not None:
        raise ValueError(why)
    check_run(run)
    made: Engine = import_module(_MODULES[run.engine]).make(run, base, threads)
    return made
