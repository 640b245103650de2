"""A scorer of a user's own that needs no model and dies as its prompts say, and runs of it: for the tests of engines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from data.jobs.runs import Run, RunFolder, WorkItem

DYING = """
import os, time
from pathlib import Path
from concord.plugin import Scorer, Seen, Verdict


class Perceiver:
    def perceive(self, batch):
        seen = []
        for shown in batch:
            what, _, more = shown.text.partition(" ")
            if what == "die":
                os.kill(os.getpid(), 9)
            if what == "once" and not Path(more).exists():
                Path(more).touch()
                os.kill(os.getpid(), 9)
            if what == "raise":
                raise RuntimeError("tensor of the wrong shape")
            if what == "sleep":
                time.sleep(float(more))
            seen.append(Seen(shown.item_id, {"width": shown.image.width, "red": shown.image.getpixel((0, 0))[0]}))
        return seen


def open_(settings, device):
    if device == "cpu:9":
        raise ValueError("there is no such device")
    if device == "cpu:8":
        os.kill(os.getpid(), 9)
    return Perceiver()


SCORER = Scorer("dying", "1", "", {"playground": {}}, frozenset(), open_, lambda *_: Verdict(()))
"""


def scorers(folder: Path) -> Path:
    """A folder for ``CONCORD_SCORERS`` with the scorer ``dying``."""
    folder.mkdir()
    (folder / "dying.py").write_text(DYING)
    return folder


def run(folder: Path, n: int, doing: Mapping[int, str], device: str, engine: str = "local", part_size: int = 4) -> RunFolder:
    """``n`` images, 1, 2, ... pixels wide; some of them ``doing`` something; the last but one is no image."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    work = []
    for k in range(n):
        path = folder / "images" / f"{k}.png"
        Image.new("RGB", (k + 1, 2), (k, 0, 0)).save(path)
        if k == n - 2:
            path.write_bytes(b"no image")
        work.append(WorkItem(f"i{k}", str(path), hashlib.sha256(path.read_bytes()).hexdigest(), doing.get(k, ""), {}))
    made = RunFolder(folder / f"run {engine} {device.replace(':', '_')}")
    made.create(Run("r", "dying", "1", "playground", {"weights": {}}, device, part_size, engine), work)
    return made
