"""The playground: a project filled from the committed sample, with what the scorers saw and what five simulated people say."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Final, TextIO

from annotation import simulated
from annotation.simulated import DepictedItem, DepictedPair
from concord.common.context import CommandError, Context, digest
from concord.runs import remote_runs
from data.aspects import SCALES
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.sample import SUITE, PlaygroundSample
from data.prompts.questions import RULE, questions_from_spec
from data.records import Annotation, Item, Prompt, image_item
from data.store import imports, library, runs
from data.store.browse import contents
from data.store.campaigns.management import pair_id
from data.store.core.store import Store
from data.store.imports import ImportBundle, Reimport, StoredImport

PICTURES = "playground"
QUESTIONS = "questions"
PEOPLE = "simulated people"
_ANSWERING = f"{SUITE} questions"
_VOTING = f"{SUITE} votes"
_SCORES = "scores"


def import_playground(context: Context) -> None:
    """``import playground``: fill any project; what is there already stays as it is."""
    playground_sample = sample.read_sample(sample.FOLDER)
    before = contents.totals(context.store)
    fill_missing(context.store, playground_sample, context.err)
    after = contents.totals(context.store)
    if after != before:
        context.say(
            f"the playground: {after.prompts - before.prompts} prompts, {after.images - before.images} images,"
            f" {after.scorers - before.scorers} scorers, {after.simulated - before.simulated} answers by simulated people;"
            " import undo lists what can be taken back"
        )
    else:
        context.say("nothing to do: the playground is in this project already")


def fill_new_project(store: Store, err: TextIO) -> None:
    """Fill the default project if it is new, or finish a filling that was cut off. A project with anything else in it is left
    alone. A failure is told and stops nobody: the project opens without."""
    listed = imports.listed(store)
    if listed and not _is_begun(store, listed):
        return
    if not listed:
        own = contents.totals(store)
        if own.prompts or own.images or own.items or own.annotations:
            return
        print("The first start: the playground is being filled, which takes up to a minute ...", file=err, flush=True)
    undone = frozenset((row.kind, row.name) for row in listed if row.undone is not None)
    try:
        fill_missing(store, sample.read_sample(sample.FOLDER), err, undone)
    except (CommandError, OSError, ValueError) as error:
        print(f"the playground could not be filled: {error}", file=err, flush=True)


def fill_missing(
    store: Store, playground_sample: PlaygroundSample, err: TextIO, without: frozenset[tuple[str, str]] = frozenset()
) -> None:
    """Bring what is missing, each piece whole or not at all; ``without``: (kind, name) of imports to leave out.

    Raises:
        CommandError: a scorer's run cannot be taken in.
        OSError: a file cannot be read or written.
        ValueError: the sample is damaged, or contradicts what is in the project.
    """
    prompts = {prompt.prompt_id: prompt for prompt in playground_sample.prompts}
    _pictures(store, playground_sample, prompts)
    if (QUESTIONS, SUITE) not in without:
        _questions(store, prompts)
    known = [
        DepictedItem(
            image_item(image, prompts[image.prompt_id]),
            prompts[image.prompt_id].demands,
            sample.careless_drawing(prompts[image.prompt_id], image.index).scene,
        )
        for image in playground_sample.images
        if image.generator == CARELESS
    ]
    for name, annotate in _SAID.items():
        if (PEOPLE, name) not in without:
            _people(store, name, annotate(known))
    if (PEOPLE, _VOTING) not in without:
        _votes(store, playground_sample)
    for folder in playground_sample.runs:
        if (_SCORES, folder.path.name) not in without:
            # the scorers' rules as they are now judge what was seen then
            remote_runs.import_scores(Context(store, folder.path, StringIO(), err), ".")


def simulated_imports(store: Store) -> list[int]:
    """The imports that brought simulated people and have not been taken back."""
    return [row.import_id for row in imports.listed(store) if row.kind == PEOPLE and row.undone is None]


def remove_simulated(store: Store) -> None:
    """Take the simulated people and all their answers back, for good. Twice does no harm.

    Raises:
        ImportRefused: what they brought is in use.
    """
    for import_id in simulated_imports(store):
        imports.undo(store, import_id)


def _is_begun(store: Store, listed: Sequence[StoredImport]) -> bool:
    """Whether a filling was cut off. No picture is read for it, as this is asked at every start."""
    if not any((row.kind, row.undone) == (PICTURES, None) for row in listed):
        return False
    scored = {(_SCORES, path.parent.name) for path in sample.FOLDER.glob("runs/*/run.json")}
    people = {(PEOPLE, name) for name in (*_SAID, _VOTING)}
    all_here = {(QUESTIONS, SUITE), *people, *scored} <= {(row.kind, row.name) for row in listed}
    return not all_here or any(row.state != "done" and row.import_id is not None for row in runs.listed(store))


def _pictures(store: Store, playground_sample: PlaygroundSample, prompts: Mapping[str, Prompt]) -> None:
    """Prompts, images and items. The files are copied, so that another sample in a later version changes no project; their
    paths are the project's own, so that it can be moved."""
    images = []
    for image in playground_sample.images:
        path = sample.image_path(image.prompt_id, image.generator, image.index)
        assert image.path is not None
        _copy(image.path, store.project / path)
        images.append(replace(image, path=path))
    bundle = ImportBundle(
        PICTURES,
        SUITE,
        digest(*(f"{image.image_id} {image.sha256}" for image in images)),
        prompts=playground_sample.prompts,
        images=images,
        items=[image_item(image, prompts[image.prompt_id]) for image in images],
    )
    imports.apply(store, [bundle])


def _copy(source: Path, target: Path) -> None:
    """Whole or not at all; a file that is there stays."""
    if target.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}")
    shutil.copyfile(source, temporary)
    temporary.replace(target)


def _questions(store: Store, prompts: Mapping[str, Prompt]) -> None:
    """Those that the prompts' specs give, unless the project has others."""
    have = library.current_questions(store, list(prompts))
    questions = {name: questions_from_spec(prompt.demands) for name, prompt in prompts.items() if name not in have}
    if questions:
        sha256 = digest(RULE, *sorted(questions))
        imports.apply(store, [ImportBundle(QUESTIONS, SUITE, sha256, questions=questions)])


def _votes(store: Store, playground_sample: PlaygroundSample) -> None:
    """Votes on the first pictures of each prompt by any two generators, as pairs of an A/B test."""
    generators = sorted({image.generator for image in playground_sample.images})
    first = {(image.prompt_id, image.generator): image.image_id for image in playground_sample.images if image.index == 0}
    pairs: list[DepictedPair] = []
    members: dict[str, tuple[str, str]] = {}
    for prompt in playground_sample.prompts:
        faithful = {generator: sample.is_faithful(prompt, generator) for generator in generators}
        for a, b in combinations(generators, 2):
            images = (first[prompt.prompt_id, a], first[prompt.prompt_id, b])
            item = Item(pair_id(prompt.prompt_id, *images), SUITE, prompt.prompt_id, prompt.task, None, "pair")
            members[item.item_id] = images
            pairs.append(DepictedPair(item, (a, b), (faithful[a], faithful[b])))
    _people(store, _VOTING, simulated.vote(pairs), [pair.item for pair in pairs], members)


def _people(
    store: Store,
    name: str,
    answers: Sequence[Annotation],
    items: Sequence[Item] = (),
    members: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """``items`` and their ``members``: pairs that the answers are about and that the project may lack."""
    aspects = {judgement.aspect for annotation in answers for judgement in annotation.judgements}
    bundle = ImportBundle(
        PEOPLE,
        name,
        digest(*(f"{annotation.annotation_id} {sorted(annotation.answers.items())}" for annotation in answers)),
        raters=[person.rater for person in simulated.PEOPLE],
        scales=[(SUITE, aspect, SCALES[aspect]) for aspect in aspects],
        items=items,
        annotations=answers,
        returned=Reimport(members=members) if members else None,
    )
    imports.apply(store, [bundle])


_SAID: Final = {SUITE: simulated.annotate, _ANSWERING: simulated.annotate_vqa}
"""What the simulated people are asked, each an import of its own."""
