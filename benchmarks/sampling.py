"""Runs a script and samples where its threads are: ``sampling.py OUT SCRIPT ...``; SIGUSR1 writes what was seen so far.

A thread counts where it holds the processor or waits for it: frames that only wait are left out by name.
"""

from __future__ import annotations

import runpy
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

_EVERY: Final = 0.01
_WAITING: Final = ("wait", "select", "poll", "get", "_worker", "run_forever", "accept", "_run_once", "result", "_recv", "sleep")


def _stack(frame: FrameType | None) -> list[str]:
    found: list[str] = []
    while frame is not None:
        code = frame.f_code
        found.append(f"{'/'.join(Path(code.co_filename).parts[-2:])}:{code.co_name}")
        frame = frame.f_back
    return found


def sample(file: Path) -> None:
    """Begin to sample in a thread of its own."""
    alone: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    by_thread: Counter[str] = Counter()

    def look() -> None:
        own = threading.get_ident()
        while True:
            time.sleep(_EVERY)
            names = {one.ident: one.name for one in threading.enumerate()}
            for ident, frame in sys._current_frames().items():
                stack = _stack(frame)
                if ident == own or stack[0].rpartition(":")[2] in _WAITING:
                    continue
                alone[stack[0]] += 1
                inside.update(set(stack))
                by_thread[names.get(ident, "?").rstrip("0123456789-_ ")] += 1

    def write(*_: object) -> None:
        parts = [("threads", by_thread), ("alone", alone), ("inside", inside)]
        text = "\n".join(f"== {name}\n" + "\n".join(f"{n:7} {what}" for what, n in of.most_common(70)) for name, of in parts)
        file.write_text(text + "\n", encoding="utf-8")

    signal.signal(signal.SIGUSR1, write)
    threading.Thread(target=look, name="sampling", daemon=True).start()


if __name__ == "__main__":
    out = Path(sys.argv[1])
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    sample(out)
    runpy.run_path(sys.argv[0], run_name="__main__")
