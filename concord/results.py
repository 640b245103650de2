"""``import results`` and ``export results``: verdicts, evidence and answers in the files of the scorers' own scripts
(GenEval, VISOR, TIFA).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from concord.common import wording
from concord.common.context import (
    CommandError,
    Context,
    UsageError,
    digest,
    import_bundle,
    report_import,
    was_imported,
    writing,
)
from concord.judging import judge, rule_version_of
from concord.runs import run_session
from data.aspects import SCALES
from data.files import check_name, located, printable, quoted, whole_file
from data.formats import official_results as results
from data.formats.evidence import EvidenceCase
from data.formats.official_results import CaptionAnswers, ModelAnswer, read_results
from data.jobs.runs import Observation, Run
from data.json_files import read_json_lines
from data.prompts import sr2d_suite
from data.prompts.prompt_files import text_source
from data.prompts.questions import ELEMENT_TYPES, PromptQuestion
from data.records import Evidence, Image, Prompt, Rater, image_item
from data.selection import Selection
from data.spec import Spec, parse_spec
from data.store import imports, library, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportedRun
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import PerceivedImage
from data.store.library import QuestionVersion
from scorers import registry
from scorers.base import Scorer
from scorers.geneval import results as geneval_results
from scorers.geneval import rules as geneval_rules
from scorers.questions.rules import AnsweredQuestion, payload_of
from scorers.visor import rules as visor_rules
from scorers.visor.results import DetectionFile, MixedGenerators

_KIND: Final = "results geneval"
_AT_ONCE: Final = 2000
_NUMBER: Final = re.compile(r"/([0-9]{1,9})$")


Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Content]):
    """What a file holds of an image that has its place: its prompt, and what was seen of it as the script wrote it."""

    image: Image
    prompt: Prompt
    content: Content


@dataclass(slots=True)
class _ResultFile(Generic[Content]):
    """What a file holds, by item; and what was left out, with the reason."""

    entries: dict[str, _Entry[Content]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def drop_judged(self, context: Context, rater_id: str) -> None:
        """Leave out what this rater has judged before, and say all that is left out."""
        for item_id in scorer_evidence.items_with_evidence(context.store, list(self.entries), rater_id):
            del self.entries[item_id]
            self.left.append(f"{item_id}: {rater_id} has judged it before")
        context.warn(*(f"left out: {printable(line)}" for line in self.left))

    def stored_prompts(self, store: Store) -> dict[str, Prompt]:
        """The prompts by id; one that the project has stays as it is, as its items have its task, and `rebuild` its spec."""
        published = {entry.prompt.prompt_id: entry.prompt for entry in self.entries.values()}
        return published | library.prompts_by_id(store, list(published))


def import_geneval(context: Context, file: str, generator: str | None, suite: str, rater: str) -> None:
    """GenEval's ``results.jsonl``: its verdicts, and what else follows from its boxes. What cannot be placed is left out."""
    path = context.file(file)
    check_name(suite, "the suite's name")
    check_name(rater, "the rater's name")
    scorer = registry.get(geneval_results.NAME)
    sha256 = digest(path, repr((generator, suite, rater)))
    if was_imported(context, _KIND, sha256):
        return
    read = _read_results(context.store, path, generator, suite)
    whose = runs.scorer_rater(context.store, rater, scorer.version, geneval_results.SETTINGS)
    read.drop_judged(context, whose.rater_id)
    if not read.entries:
        raise CommandError(f"{file}: none of its lines could be imported")
    stored = read.stored_prompts(context.store)
    seen = {item_id: geneval_results.evidence_of(*entry.content, item_id) for item_id, entry in read.entries.items()}
    astray = [
        item_id
        for item_id, entry in read.entries.items()
        if entry.content[0].details is not None and not geneval_results.follows(entry.content[1], seen[item_id], whose.settings)
    ]
    name = ", ".join(sorted({entry.image.generator for entry in read.entries.values()}))
    bundle = _bundle(context.store, _KIND, name, sha256, whose, scorer, read, seen, stored, stored)
    (imported,) = imports.apply(context.store, [bundle])
    if astray:
        verdicts_text = wording.count(len(astray), "verdict")
        context.warn(f"{verdicts_text} not as the boxes beside would have it, e.g. of {astray[0]}; the file's verdicts are in")
    report_import(context, _summary(bundle), imported)
    if read.left:
        raise CommandError(f"{wording.count(len(read.left), 'line')} skipped (see above); the rest is imported")


def _bundle(
    store: Store,
    kind: str,
    name: str,
    sha256: str,
    whose: Rater,
    scorer: Scorer,
    read: _ResultFile[Any],
    seen: Mapping[str, Observation],
    stored: Mapping[str, Prompt],
    judged: Mapping[str, Prompt],
    **more: Any,
) -> ImportBundle:
    """What was seen of each image as a run of this rater, judged by the specs of the prompts ``judged``."""
    entries, run_id = read.entries, run_session.next_id(store, whose.rater_id)
    evidence = []
    for item_id, entry in entries.items():
        judgements = judge(scorer, judged[entry.prompt.prompt_id], seen[item_id], whose.settings)
        key = f"{run_id}:{item_id}"
        evidence.append(Evidence(key, item_id, whose.rater_id, seen[item_id].payload, judgements, rule_version_of(scorer)))
    suites = {entry.prompt.suite for entry in entries.values()}
    aspects = {judgement.aspect for row in evidence for judgement in row.judgements}
    run = Run(run_id, scorer.name, scorer.version, "official", whose.settings)
    return ImportBundle(
        kind,
        name,
        sha256,
        prompts=list({entry.prompt.prompt_id: entry.prompt for entry in entries.values()}.values()),
        images=[entry.image for entry in entries.values()],
        items=[image_item(entry.image, stored[entry.prompt.prompt_id]) for entry in entries.values()],
        raters=[whose],
        scales=[(suite, aspect, SCALES[aspect]) for suite in suites for aspect in aspects],
        evidence=evidence,
        observed=ImportedRun(run, whose.rater_id, f"runs/{run_id}", list(seen.values())),
        **more,
    )


def _summary(bundle: ImportBundle) -> str:
    return f"{wording.count(len(bundle.evidence), 'image')} of {bundle.name} judged by {bundle.raters[0].rater_id}"


def export_geneval(context: Context, rater: str, selection: Mapping[str, Sequence[str]], output: str) -> None:
    """What a scorer saw and judged, as GenEval's ``results.jsonl``."""
    scorer, settings, images = _judged(context, rater, selection, ("geneval", geneval_results.NAME))
    numbers = geneval_rules.GenEvalRules.of(settings)
    left: list[str] = []
    count = 0
    with _file(context, output) as write:
        for image, spec, seen in _evidence_of(context.store, images, rater, left):
            verdict = scorer.judge(spec, seen, settings)
            if verdict.correct is None:
                left.append(f"{image.item_id}: no verdict")
                continue
            details = geneval_results.details_of(spec, seen.detections, numbers)
            name = f"{image.generator}/{_number(image):05d}/samples/{image.idx:04d}.png"
            result = results.GenEvalResult(
                name, image.task or "", image.text, verdict.correct, verdict.reason, image.spec, details
            )
            write(results.format_result(result))
            count += 1
        _check_any(count, left)
    _say_exported(context, count, left, output)


def export_visor(context: Context, rater: str, selection: Mapping[str, Sequence[str]], output: str) -> None:
    """What a scorer saw, as VISOR's detection file: of one generator, an image named by its prompt's number in SR2D.

    SR2D's variants in other words have the same numbers. Of those with attributes one combination at a time is written, by the
    number of the prompt of SR2D that asks the same: then ``visor.py`` gives one bar of the paper's Figure 13.
    """
    _, settings, images = _judged(context, rater, selection, ("visor",))
    combinations = sorted({image.task or "" for image in images if sr2d_suite.has_attributes(image.prompt_id)})
    if len(combinations) > 1:
        raise UsageError(
            f"VISOR's file holds one combination of attributes, and there are {len(combinations)}; choose one, such as"
            f' --task "{combinations[-1]}"'
        )
    left: list[str] = []
    count = 0
    with _file(context, output) as write:
        file = DetectionFile(write, visor_rules.VisorRules.of(settings))
        for image, spec, seen in _evidence_of(context.store, images, rater, left):
            try:
                # the number in SR2D; ValueError where that has no such prompt
                visors_number = (
                    _number(image)
                    if not sr2d_suite.has_attributes(image.prompt_id)
                    else sr2d_suite.prompt_number(*(str(image.spec.get(key)) for key in ("a", "b", "relation")))
                )
                file.add(EvidenceCase(f"{visors_number}_{image.idx}", image.spec, spec, seen, image.prompt_id, image.generator))
                count += 1
            except MixedGenerators as error:
                raise UsageError(str(error)) from error
            except ValueError as error:
                left.append(f"{image.item_id}: {error}")
        _check_any(count, left)
        file.close()
    _say_exported(context, count, left, output)


def _read_results(
    store: Store, path: Path, generator: str | None, suite: str
) -> _ResultFile[tuple[results.GenEvalResult, Spec]]:
    file: _ResultFile[tuple[results.GenEvalResult, Spec]] = _ResultFile()
    named = {
        (image.generator, image.prompt_id, Path(image.path).name): image.index
        for image in library.image_files_of_suite(store, suite)
    }
    for line in read_json_lines(path):
        try:
            if line.wrong is not None:
                raise ValueError(line.wrong)
            parsed = _entry_of(results.read_result(line.value), generator, suite, named)
            if parsed.image.image_id in file.entries:
                raise ValueError(f"{parsed.image.image_id} occurs on an earlier line")
            file.entries[parsed.image.image_id] = parsed
        except ValueError as error:
            file.left.append(located(path, line.number, str(error)))
    return file


def _entry_of(
    result: results.GenEvalResult, generator: str | None, suite: str, named: Mapping[tuple[str, str, str], int]
) -> _Entry[tuple[results.GenEvalResult, Spec]]:
    """Return a line with its image; ``named``: numbers of the project's images by generator, prompt and file name."""
    path, spec = results.parse_image_path(result.filename), parse_spec(result.metadata)
    name = generator or path.folder
    if name is None:
        raise ValueError(f"'filename' {quoted(result.filename)} does not name the generator of the image; add --generator NAME")
    check_name(name, "the generator's name")
    prompt = Prompt(f"{suite}/{path.prompt:05d}", suite, result.prompt, result.tag, result.metadata)
    index = named.get((name, prompt.prompt_id, path.file_name), path.index)
    if index is None:
        raise ValueError(
            f"{prompt.prompt_id} has no image {quoted(path.file_name)} by {name} in this project; import the images first, as a"
            " sample whose name is no number is known by its file"
        )
    return _Entry(Image(prompt.prompt_id, name, index), prompt, (result, spec))


def _judged(
    context: Context, rater: str, selection: Mapping[str, Sequence[str]], of: tuple[str, ...]
) -> tuple[Scorer, Mapping[str, Any], list[PerceivedImage]]:
    """The scorer behind a rater, its settings, and the selected images that it has seen.

    Raises:
        CommandError: it is none of these scorers, or has seen none of these images.
    """
    mine = [row for row in runs.listed(context.store) if row.rater_id == rater]
    if not mine or mine[-1].scorer not in of:
        known = sorted({row.rater_id for row in runs.listed(context.store) if row.scorer in of})
        hint = f"known: {', '.join(known)}" if known else f"this project has none; first: score {of[0]}"
        raise CommandError(f"--rater {rater}: no run of {' or '.join(of)} is by this rater; {hint}")
    images = scorer_evidence.perceived_images(context.store, Selection.of(lambda name: selection.get(name, ())), rater)
    if not images:
        raise CommandError(f"{rater} has seen no image of this selection; nothing was written")
    return registry.get(mine[-1].scorer), mine[-1].settings, images


def _evidence_of(
    store: Store, images: Sequence[PerceivedImage], rater: str, left: list[str]
) -> Iterator[tuple[PerceivedImage, Spec, Observation]]:
    """What was seen of each, some at a time; one without a number or a spec is appended to ``left``."""
    for start in range(0, len(images), _AT_ONCE):
        some = images[start : start + _AT_ONCE]
        sights = scorer_evidence.evidence_without_masks(store, [image.item_id for image in some], rater)
        for image in some:
            try:
                if _NUMBER.search(image.prompt_id) is None:
                    raise ValueError(f"prompt {image.prompt_id} has no number, which these files need to identify images")
                spec = image.demands
            except ValueError as error:
                left.append(f"{image.item_id}: {error}")
                continue
            if sights is not None and image.item_id in sights.seen:
                yield image, spec, sights.seen[image.item_id]


def _number(image: PerceivedImage) -> int:
    match = _NUMBER.search(image.prompt_id)
    assert match is not None
    return int(match[1])


@contextmanager
def _file(context: Context, output: str) -> Iterator[Callable[[str], object]]:
    """A text file, whole or not at all."""
    with writing(output), whole_file(context.path(output)) as file:
        yield lambda text: file.write(text.encode())


def _check_any(count: int, left: Sequence[str]) -> None:
    if not count:
        raise CommandError(f"none of these images could be written, e.g. {left[0] if left else 'none was seen'}")


def _say_exported(context: Context, count: int, left: Sequence[str], output: str) -> None:
    context.say(f"{wording.count(count, 'image')} in {output}")
    context.warn(*(f"left out: {printable(line)}" for line in left))
    if left:
        raise CommandError(f"{wording.count(len(left), 'image')} skipped (see above); the rest is in {output}")


_TIFA_KIND: Final = "results tifa"
_SETTINGS: Final = {"vqa": "not known", "answering": "free"}


def import_tifa(context: Context, file: str, generator: str, suite: str, rater: str) -> None:
    """Take in all answers that can be placed: image 0 of ``generator`` for each text. The questions come along where a prompt
    has none."""
    path = context.file(file)
    for name, description in ((generator, "the generator's name"), (suite, "the suite's name"), (rater, "the rater's name")):
        check_name(name, description)
    sha256 = digest(path, repr((generator, suite, rater)))
    if was_imported(context, _TIFA_KIND, sha256):
        return
    read = _read_tifa(path, generator, suite)
    scorer = registry.get("tifa")
    whose = runs.scorer_rater(context.store, rater, scorer.version, _SETTINGS)
    read.drop_judged(context, whose.rater_id)
    if not read.entries:
        raise CommandError(f"{file}: none of its answers could be imported")
    published = {entry.prompt.prompt_id: entry.prompt for entry in read.entries.values()}
    questions = library.current_questions(context.store, list(published))
    seen = {
        item_id: _observed(item_id, entry.content, questions.get(entry.prompt.prompt_id))
        for item_id, entry in read.entries.items()
    }
    new = {entry.prompt.prompt_id: [answer.question for answer in entry.content] for entry in read.entries.values()}
    bundle = _bundle(
        context.store, _TIFA_KIND, generator, sha256, whose, scorer, read, seen, read.stored_prompts(context.store), published,
        questions={name: prompt_questions for name, prompt_questions in new.items() if name not in questions},
    )  # fmt: skip
    import_bundle(context, bundle, _summary(bundle))
    if read.left:
        raise CommandError(f"{wording.count(len(read.left), 'answer')} or texts skipped (see above); the rest is imported")


def _observed(item_id: str, answers: Sequence[ModelAnswer], now: QuestionVersion | None) -> Observation:
    # of the prompt's questions, as the project counts; 0 where they are none of its versions
    version = 1 if now is None else now.number if tuple(answer.question for answer in answers) == now.questions else 0
    return Observation(
        item_id, payload_of(version, [AnsweredQuestion(answer.question, answer.chosen, free=answer.free) for answer in answers])
    )


def _read_tifa(path: Path, generator: str, suite: str) -> _ResultFile[list[ModelAnswer]]:
    read: _ResultFile[list[ModelAnswer]] = _ResultFile()
    for result in read_results(path):
        read.left += [located(path, result.number, why) for why in result.wrong]
        try:
            if result.answers:
                _add_answers(read, result, generator, suite)
        except ValueError as error:
            read.left.append(located(path, result.number, str(error)))
    return read


def _add_answers(read: _ResultFile[list[ModelAnswer]], caption_answers: CaptionAnswers, generator: str, suite: str) -> None:
    name = check_name(caption_answers.id, "the text's id")
    if not caption_answers.caption.strip():
        raise ValueError(f"{quoted(name)} has no caption, so its prompt is not known")
    prompt = Prompt(f"{suite}/{name}", suite, caption_answers.caption, text_source(name))
    image = Image(prompt.prompt_id, generator, 0)
    if image.image_id in read.entries:
        raise ValueError(f"answers about {quoted(name)} occur twice")
    good = []
    for answer in caption_answers.answers:
        if why := _odd(answer.question):
            read.left.append(f"{name}: {why}")
        else:
            good.append(answer)
    if good:
        read.entries[image.image_id] = _Entry(image, prompt, good)


def _odd(question: PromptQuestion) -> str:
    if question.element_type not in ELEMENT_TYPES:
        return f"'element_type' is {quoted(question.element_type)}, one of {', '.join(ELEMENT_TYPES)} expected"
    if question.answer not in question.choices:
        return f"'answer' is {quoted(question.answer)}, which is not among the choices"
    return ""
