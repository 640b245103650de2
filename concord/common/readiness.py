"""Readiness of a scorer's profile on this machine and project: ready, or what it needs first.

`readiness` is the one place that says so: ``doctor`` shows it, and pages that offer scorers ask it, too.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from concord.common import forwarding, machine
from concord.common.context import Context
from data.store import library
from data.store.library import PromptInputs
from data.store.project_health import HealthCheck
from scorers import registry
from scorers.base import Scorer
from scorers.models import downloads, files

Need = Literal["packages", "specs", "questions", "pairs", "download", "gpu"]

SLOW_MEGABYTES: Final = 1000
"""Models of so many megabytes, or of an unknown number, take seconds for each image without a GPU."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """The readiness of a scorer's profile.

    Attributes:
        needs: what is missing, the first to be done first; empty: it is ready. ``gpu`` alone: it runs, and slowly.
        megabytes: of the weights to download, about; None where unknown or nothing is to be downloaded.
        licence: of its models, where that binds whoever uses them; else "".
        todo: what to do about the first need.
        is_fetchable: True if Concord itself can download all that is missing.
    """

    scorer: str
    profile: str
    needs: tuple[Need, ...] = ()
    megabytes: int | None = None
    licence: str = ""
    todo: str = ""
    is_fetchable: bool = False

    @property
    def can_start(self) -> bool:
        """True if it can score as soon as its models are downloaded, which Concord does, or at once."""
        return self.can_run or (set(self.needs) <= {"download", "gpu"} and self.is_fetchable)

    @property
    def can_run(self) -> bool:
        """True if it can score now, if slowly."""
        return set(self.needs) <= {"gpu"}

    @property
    def text(self) -> str:
        """The readiness in words."""
        words = [self._word(need) for need in self.needs] or ["ready"]
        return ", ".join(words) + (f" ({self.licence})" if self.licence else "")

    def _word(self, need: Need) -> str:
        if need == "download":
            return "download of unknown size" if self.megabytes is None else f"{self.megabytes:,} MB to download"
        return _WORDS[need]


_WORDS: Final[Mapping[Need, str]] = {
    "packages": "needs packages",
    "specs": "needs specs",
    "questions": "needs questions",
    "pairs": "needs pairs",
    "gpu": "slow without a GPU",
}
_TODO: Final[Mapping[Need, str]] = {
    "packages": "uv run --group scorers --group yolo app.py",
    "specs": "import prompts with specs, which say what must be in each image",
    "questions": "import questions --from-specs",
    "pairs": "make a campaign in which people choose between two generators; its pairs are what this scorer judges",
    "gpu": "",
}


def readiness(scorer: Scorer, profile: str, inputs: PromptInputs | None, *, gpu: bool) -> Readiness:
    """Return how a profile stands.

    Args:
        scorer: a registered scorer.
        profile: one of its profiles.
        inputs: what the project's prompts bring; None where no project is known, so that only the machine counts.
        gpu: whether the machine has one.
    """
    models = _models(scorer, profile)
    needs: list[Need] = []
    if any(find_spec(package) is None for package in _packages(models)):
        needs.append("packages")
    # who judges objects reads them in the prompts' specs; wrong captions are made of the same
    objects = "present" in scorer.scales or (scorer.input == "captions" and inputs is not None and not inputs.with_captions)
    if inputs is not None and objects and not inputs.with_objects:
        needs.append("specs")
    if inputs is not None and scorer.input == "questions" and not inputs.with_questions:
        needs.append("questions")
    if inputs is not None and scorer.input == "pair" and not inputs.pairs:
        needs.append("pairs")
    missing = missing_models(scorer, profile)
    if missing:
        needs.append("download")
    if not gpu and _is_slow(models):
        needs.append("gpu")
    sizes = [downloads.megabytes(model) for model in missing]
    todo = _TODO.get(needs[0], "") if needs else ""
    return Readiness(
        scorer.name,
        profile,
        tuple(needs),
        sum(size or 0 for size in sizes) if missing and None not in sizes else None,
        "; ".join(dict.fromkeys(filter(None, map(downloads.licence, models)))),
        machine.remedy(missing[0]) if needs[:1] == ["download"] else todo,
        bool(missing) and all(map(machine.is_fetchable, missing)),
    )


def missing_models(scorer: Scorer, profile: str) -> list[str]:
    """Return the models of a profile that are not on this machine."""
    return [model for model in _models(scorer, profile) if not machine.is_available(model)]


def _models(scorer: Scorer, profile: str) -> list[str]:
    settings = scorer.profiles[profile]
    return [str(settings[key]) for key in sorted(scorer.models) if settings[key]]


def _packages(models: list[str]) -> Iterator[str]:
    """Yield the packages without which these models cannot be opened."""
    if models:
        yield "torch"
    if any(files.checkpoint(model) is not None for model in models):
        yield "ultralytics"


def _is_slow(models: list[str]) -> bool:
    """Return True if models of these sizes are slow on a processor; the playground's are not."""
    sizes = [downloads.megabytes(model) for model in models if files.folder(model) is None or model in downloads.MEGABYTES]
    return None in sizes or sum(size or 0 for size in sizes) >= SLOW_MEGABYTES


def all_readiness(inputs: PromptInputs | None, *, gpu: bool) -> list[Readiness]:
    """Return how each profile of Concord's own scorers stands."""
    scorers = [registry.get(name) for name in registry.NAMES]
    return [readiness(scorer, profile, inputs, gpu=gpu) for scorer in scorers for profile in scorer.profiles]


def check_scorers(project: Path) -> list[HealthCheck]:
    """Return a finding for each scorer: its profiles and how each stands."""
    by_scorer: dict[str, list[Readiness]] = {}
    for each in all_readiness(_project_inputs(project), gpu=machine.has_gpu()):
        by_scorer.setdefault(each.scorer, []).append(each)
    checks = []
    for name, profiles in by_scorer.items():
        waiting = next((each for each in profiles if not each.can_run), None)
        level: Literal["ok", "note"] = "ok" if any(each.can_run for each in profiles) else "note"
        text = "; ".join(f"{each.profile} {each.text}" for each in profiles)
        todo = f"for {waiting.profile}: {waiting.todo}" if waiting is not None and waiting.todo else ""
        checks.append(HealthCheck("scorers", level, f"{name}: {text}", todo))
    return checks


def _project_inputs(project: Path) -> PromptInputs | None:
    """Return what a project's prompts bring, asked of the app that has it open, or read; None where it cannot be read."""
    server = forwarding.living(project)
    if server is None:
        return library.closed_prompt_inputs(project)
    out, err = io.StringIO(), io.StringIO()
    if forwarding.send(server, "prompt-inputs", {}, out, err):
        return None
    return PromptInputs(**json.loads(out.getvalue()))


def print_prompt_inputs(context: Context) -> None:
    """Print what the open project's prompts bring, as JSON."""
    context.say(json.dumps(asdict(library.prompt_inputs(context.store))))
