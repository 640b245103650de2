"""What can be added without files of one's own: the playground, a suite's published prompts, a study that its paper prints;
and the choices that Add offers.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from concord.common import wording
from concord.common.context import CommandError, Context
from concord.importing.prompts import import_questions, write_suite
from concord.importing.readings import PLAYGROUND, Source
from concord.importing.upload_folders import unpacked_folder
from concord.studies.folders import STUDY_FILES
from data.store import library
from data.store.browse import contents
from data.store.core.store import Store

RATING_FIELDS: Final[Mapping[str, str]] = {
    "item": "Image",
    "rater": "Rater",
    "value": "Rating",
    "prompt": "Prompt",
    "generator": "Generator",
    "index": "Index",
    "task": "Task",
    "aspect": "What is rated",
    "scale": "Scale",
    "kind": "Rated by",
    "suite": "Images of suite",
}
"""Fields of a request for ratings, with their names for people; the first seven are columns."""
PUBLISHED_PROMPTS: Final[Mapping[str, str]] = {
    "geneval": "GenEval, 553 prompts with objects, counts, colours and places",
    "sr2d": "VISOR’s SR2D, 25,280 prompts of two objects and a place",
}
"""Suites whose prompts Concord writes itself."""


def playground_source(store: Store) -> Source:
    """Return the playground as something to store."""
    return _without_files(store, "The playground", PLAYGROUND)


def study_without_files(store: Store, key: str) -> Source:
    """Return a study whose numbers its paper prints.

    Raises:
        CommandError: there is none of this name, or it has files.
    """
    study = STUDY_FILES.get(key)
    if study is None or study.pattern:
        raise CommandError(f"{key} is no study that comes without files")
    return _without_files(store, study.title, key)


def _without_files(store: Store, name: str, key: str) -> Source:
    work = unpacked_folder(store.project) / uuid.uuid4().hex
    return Source(store.project, "study", name, work, uploaded=False, study=key)


def published_prompts(store: Store, suite: str) -> Source:
    """Return a suite's prompts.

    Raises:
        CommandError: there is no such suite.
    """
    if suite not in PUBLISHED_PROMPTS:
        raise CommandError(f"{suite} is no suite that Concord has prompts of")
    work = unpacked_folder(store.project) / uuid.uuid4().hex
    work.mkdir(parents=True)
    path = work / f"{suite}.jsonl"
    write_suite(suite, path, None, None, io.StringIO())
    return Source(path, "prompts", path.name, work, uploaded=True)


def questions_from_specs(store: Store) -> str:
    """Make the questions that the prompts' specs give; returns what became of it, in a sentence.

    Raises:
        CommandError: no prompt has a spec.
    """
    out = io.StringIO()
    import_questions(Context(store, store.project, out, io.StringIO()), None, from_specs=True, suite=None)
    return (out.getvalue().splitlines() or ["nothing to do"])[-1].partition(" (import")[0]


@dataclass(frozen=True, slots=True)
class ProjectContent:
    """What a project has for people and scorers to judge.

    Attributes:
        images: with a file.
        prompts: of all suites.
        generators, suites: their names; of images with a file.
        prompt_suites: the suites that have prompts, so that images of them can be generated.
    """

    images: int
    prompts: int
    generators: Sequence[str]
    suites: Sequence[str]
    prompt_suites: Sequence[str]

    @property
    def text(self) -> str:
        """The content in words; empty for an empty project."""
        parts = [wording.count(self.images, "image")] if self.images else []
        parts += [wording.count(self.prompts, "prompt")] if self.prompts else []
        by = wording.count(len(self.generators), "generator")
        return ", ".join(parts) + (f", {by}" if self.generators else "")


def project_content(store: Store) -> ProjectContent:
    """Return what a project has."""
    pictured = contents.generator_pictures(store)
    return ProjectContent(
        sum(each.pictures for each in pictured),
        contents.totals(store).prompts,
        list(dict.fromkeys(each.generator for each in pictured if each.generator)),
        list(dict.fromkeys(each.suite for each in pictured)),
        library.suites(store),
    )
