"""The process that makes a map: ``python -m scorers.maps.worker DIR``, the folder as in ``data.jobs.maps``.

It reads what runs kept, opens no project and goes to no network. The exit status is 0 only if the map is there; else the
folder's progress says why.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from data.jobs.maps import Map, MapFolder, MapStage
from scorers.manners import stand_back
from scorers.maps import METHODS, UMAP_PACKAGE
from scorers.maps.gathering import gather
from scorers.maps.projecting import project

_TELL_SECONDS: Final = 0.5


def make(folder: MapFolder) -> Map:
    """Make the map that is asked for.

    Raises:
        ValueError: there is nothing to make it of, or the job makes no sense.
        ImportError: a package is not installed.
        OSError: the folder cannot be read or written.
    """
    began = time.monotonic()
    job = folder.job()
    items, vectors, total = gather([Path(part) for part in job.parts], job.most, job.seed, _telling(folder, "reading files"))
    what = f"{METHODS.get(job.method, job.method)} of {len(items):,} images"
    folder.tell(MapStage(what))
    found = project(vectors, job.method, job.seed, _telling(folder, f"{what}, rounds"))
    made = Map(job.method, job.model, tuple(items), found.places, total, found.shares, found.note, time.monotonic() - began)
    folder.write(made)
    return made


def _telling(folder: MapFolder, what: str) -> Callable[[int, int], None]:
    """Tells now and then."""
    last = [0.0]

    def tell(done: int, total: int) -> None:
        if time.monotonic() - last[0] > _TELL_SECONDS:
            last[0] = time.monotonic()
            folder.tell(MapStage(what, done, total))

    return tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or not (Path(arguments[0]) / "job.json").is_file():
        print("usage: python -m scorers.maps.worker DIR", file=sys.stderr)
        return 2
    folder = MapFolder(Path(arguments[0]).absolute())
    try:
        make(folder)
    except ImportError as error:
        why = f"UMAP needs the package {UMAP_PACKAGE} ({error}); install it with: uv sync --group umap"
    except MemoryError:
        why = "the memory did not suffice"
    except Exception as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
    else:
        return 0
    folder.tell(MapStage("", error=why))
    print(why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    stand_back()
    sys.exit(main())
