"""GenEval from image files to verdicts: ours against the published loop, with the same random-weight models, in one run.

    uv run benchmarks/geneval.py [--images 8] [--device cpu] [--small]

Both sides read the same files, and give the same evidence and verdicts (asserted). The models have the published sizes
(Mask2Former Swin-S, CLIP ViT-L/14), or are small ones to try this out.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import open_clip
import torch
import transformers

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import random_models
from benchmarks.official_geneval import Official
from data.images.files import open_image
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.prompts.geneval import COLORS
from data.prompts.spec import Spec, parse_spec
from scorers import registry, worker
from scorers.base import Verdict
from scorers.geneval_rules import Rules, judge, kept
from scorers.models.clip import Clip
from scorers.models.mask2former import Mask2Former, frame, pixels
from scorers.models.transformer import by_shape

SIZES: Final = ((512, 512), (1024, 1024), (768, 1024), (1024, 1024), (1360, 768), (1024, 1024))
"""Of the pictures, in turn: what generators give."""
SIZES_SMALL: Final = ((128, 128), (96, 64), (128, 80))
SIDE: Final = 800
SIDE_SMALL: Final = 96
TOLERANCE: Final = 1e-2
"""Of confidences and of colours' probabilities; boxes are equal to the pixel. In single precision the unchanged model of the
published size differs by 1e-4 from itself with another number of threads; in double precision both sides agree to 1e-13."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What both sides are given."""

    work: list[WorkItem]
    settings: dict[str, Any]
    device: str

    @property
    def specs(self) -> list[Spec]:
        return [parse_spec(one.spec) for one in self.work]

    @property
    def detector(self) -> Path:
        return Path(self.settings["detector"])


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and of all processors, child processes included."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Apart:
    """The largest differences, and how much was compared."""

    score: float = 0.0
    color: float = 0.0
    detections: int = 0
    colors: int = 0


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Clock:
    """Began when made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), _spent()

    def took(self) -> Took:
        return Took(time.perf_counter() - self._wall, _spent() - self._cpu)


def prepare(folder: Path, n: int, device: str, small: bool) -> Bench:
    """Models, pictures, and prompts that ask for what the models see in the first of them: of all tasks in turn."""
    side = SIDE_SMALL if small else SIDE
    detector = random_models.mask2former(folder / "mask2former", small=small)
    clip = random_models.clip(folder / "clip", small=small)
    # the published loop looks at nothing below the threshold; ours usually keeps more, so that thresholds can be moved later
    overrides = {"detector": str(detector), "clip": str(clip), "detector_side": str(side), "keep": "0.3"}
    settings = registry.settings(registry.get("geneval"), "paper", overrides)
    paths = random_models.paintings(folder / "images", n, SIZES_SMALL if small else SIZES)
    (seen,) = Mask2Former(str(detector), side=side, keep=0.3, device=device).detect([open_image(paths[0])])
    # two classes only: the texts of a class are read once a run, which is little among thousands of pictures
    names = list(dict.fromkeys(one.label for one in seen))[:2]
    assert len(names) == 2, names
    specs = [_asked(k, names) for k in range(n)]
    work = [WorkItem(str(k), str(path), "", "", spec) for k, (path, spec) in enumerate(zip(paths, specs, strict=True))]
    return Bench(work, settings, device)


def _asked(k: int, names: Sequence[str]) -> dict[str, Any]:
    a, b = names[k % len(names)], names[(k + 1) % len(names)]
    color, other = COLORS[k % len(COLORS)], COLORS[(k + 3) % len(COLORS)]
    kinds: list[dict[str, Any]] = [
        {"tag": "color_attr", "include": [{"class": a, "count": 1, "color": color}, {"class": b, "count": 1, "color": other}]},
        {"tag": "colors", "include": [{"class": a, "count": 1, "color": color}]},
        {"tag": "position", "include": [{"class": a, "count": 1}, {"class": b, "count": 1, "position": ["left of", 0]}]},
        {"tag": "counting", "include": [{"class": a, "count": 2}], "exclude": [{"class": a, "count": 3}]},
        {"tag": "two_object", "include": [{"class": a, "count": 1}, {"class": b, "count": 1}]},
        {"tag": "single_object", "include": [{"class": a, "count": 1}]},
    ]
    return kinds[k % len(kinds)]


def ours(bench: Bench, folder: Path) -> tuple[list[Observation], list[Verdict], Took]:
    """The worker, from reading files to parts on disk; timed once its models are in memory."""
    run = RunFolder(folder)
    version = registry.get("geneval").version
    run.create(Run("benchmark", "geneval", version, "paper", bench.settings, bench.device), bench.work)
    clocks: list[Clock] = []
    assert worker.work_through(run, loaded=lambda: clocks.append(Clock()))
    seen = list(run.observations())
    verdicts = [judge(spec, one, bench.settings) for spec, one in zip(bench.specs, seen, strict=True)]
    return seen, verdicts, clocks[0].took()


def theirs(bench: Bench) -> tuple[list[Observation], list[Verdict], Took]:
    """The published loop, timed likewise."""
    official = Official(bench.detector, Path(bench.settings["clip"]), bench.settings["detector_side"], bench.device)
    rules = Rules.of(bench.settings)
    clock = Clock()
    seen, verdicts = [], []
    for one, spec in zip(bench.work, bench.specs, strict=True):
        seen.append(official.evaluate(one.item_id, Path(one.path), spec, rules))
        verdicts.append(judge(spec, seen[-1], bench.settings))
    return seen, verdicts, clock.took()


def apart(bench: Bench, mine: Sequence[Observation], other: Sequence[Observation]) -> Apart:
    """How far evidence differs, of what counts by the rules; ``other`` knows the colours that were asked for alone.

    Raises:
        AssertionError: another object, another box, or a number further off than ``TOLERANCE``.
    """
    found, rules = Apart(), Rules.of(bench.settings)
    for spec, a, b in zip(bench.specs, mine, other, strict=True):
        assert a.failed is b.failed is None, (a.failed, b.failed)
        for name in sorted({one.label for one in (*a.detections, *b.detections)}):
            pairs = [[seen.detections[k] for k in kept(seen.detections, name, rules.needed(spec), rules)] for seen in (a, b)]
            assert len(pairs[0]) == len(pairs[1]), (a.item_id, name, [[one.score for one in some] for some in pairs])
            for first, second in zip(*pairs, strict=True):
                found = _wider(found, first, second)
    assert found.detections
    return found


def _wider(found: Apart, a: Detection, b: Detection) -> Apart:
    assert a.box == b.box, (a.box, b.box)
    score = abs(a.score - b.score)
    color, colors = 0.0, 0
    if b.colors is not None:
        assert a.colors is not None
        color, colors = max(abs(x - y) for x, y in zip(a.colors, b.colors, strict=True)), 1
    assert max(score, color) <= TOLERANCE, (score, color)
    return Apart(max(found.score, score), max(found.color, color), found.detections + 1, found.colors + colors)


def forward(bench: Bench, seen: Sequence[Observation]) -> Took:
    """The models alone, on numbers that are there already: the detector as ours runs it, and as many crops as it classified."""
    side = bench.settings["detector_side"]
    detector = Mask2Former(str(bench.detector), side=side, keep=bench.settings["keep"], device=bench.device)
    clip = Clip(bench.settings["clip"], bench.device)
    images = [open_image(Path(one.path)) for one in bench.work]
    fed = [pixels(image, frame(image.width, image.height, side)).to(bench.device) for image in images]
    n_crops = sum(one.colors is not None for some in seen for one in some.detections)
    crops = torch.zeros(clip.looks_at, device=bench.device)
    wait: Callable[[], object] = torch.cuda.synchronize if bench.device.startswith("cuda") else lambda: None
    with torch.inference_mode():
        detector.forward(fed[0][None])
        wait()
        clock = Clock()
        for places in by_shape(fed, detector.together):
            detector.forward(torch.stack([fed[k] for k in places]))
        for start in range(0, n_crops, clip.together):
            clip.forward(crops.expand(min(clip.together, n_crops - start), -1, -1, -1))
        wait()
        return clock.took()


def report(bench: Bench, folder: Path) -> list[str]:
    """Measure; the lines to print."""
    seen, verdicts, mine = ours(bench, folder / "run")
    other_seen, other_verdicts, other = theirs(bench)
    difference = apart(bench, seen, other_seen)
    assert [one.correct for one in verdicts] == [one.correct for one in other_verdicts]
    assert [one.reason for one in verdicts] == [one.reason for one in other_verdicts]
    bare = forward(bench, seen)
    n = len(bench.work)

    def row(what: str, took: Took) -> str:
        return f"{what:34}{took.wall / n:>12.3f} s{took.cpu / n:>14.3f} s"

    return [
        f"{n} images, {difference.detections} objects and {difference.colors} colours compared, on {bench.device}",
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, Python {platform.python_version()}, "
        f"torch {torch.__version__}, transformers {transformers.__version__}, open_clip {open_clip.__version__}",
        "",
        f"{'an image':34}{'clock':>14}{'processors':>16}",
        row("the published loop", other),
        row("ours", mine),
        row("the models alone", bare),
        "",
        f"ratio: {other.wall / mine.wall:.2f} by the clock, {other.cpu / mine.cpu:.2f} by processors",
        f"share of the models alone: {bare.wall / mine.wall:.2f} by the clock, {bare.cpu / mine.cpu:.2f} by processors",
        f"equal verdicts, reasons and boxes; confidences within {difference.score:.1e}, colours within {difference.color:.1e}",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make models and pictures, measure, print; the printed lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--images", type=int, default=8, help="how many (default 8)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="as torch names it")
    parser.add_argument("--small", action="store_true", help="small models and pictures")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        bench = prepare(Path(folder), max(1, asked.images), asked.device, asked.small)
        lines = report(bench, Path(folder))
    print("\n".join(lines))
    return lines


if __name__ == "__main__":
    main()
