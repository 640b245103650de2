"""``prompts`` writes a published suite's prompts; ``import prompts`` and ``export prompts`` bring a file of them in and out.

``import questions`` and ``export questions`` do the same for the questions that are asked about prompts; they can be made from
the prompts' specs. ``import cooccurrence`` reads which classes are together in how many photographs, from an annotation file
of COCO's kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, digest, import_bundle, report_import, writing
from data.files import Omissions, check_name, quoted, sha256_of, write_whole
from data.folding import fold_spelling
from data.formats.cooccurrence import read_cooccurrence
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.prompt_files import format_prompts, read_prompt_file, write_prompts
from data.prompts.question_suites import read_question_list
from data.prompts.questions import (
    RULE,
    PromptQuestion,
    QuestionedPrompt,
    are_comparable,
    format_questions,
    questions_from_spec,
)
from data.records import Prompt
from data.spec import SpecError
from data.store import imports, library
from data.store.imports import ImportBundle
from data.store.library import QuestionVersion

_FIXED: Final = {
    sr2d_suite.SUITE: sr2d_suite.all_prompts,
    sr2d_suite.SENTENCES_SUITE: sr2d_suite.sentence_prompts,
    sr2d_suite.SPLIT_SUITE: sr2d_suite.split_sentence_prompts,
}
_MOST_NAMED: Final = 20
"""So many entries that were left out are named."""
_SAMPLED: Final = {
    "geneval": (geneval_suite.sample, geneval_suite.SEED, geneval_suite.N),
    sr2d_suite.ATTRIBUTES_SUITE: (sr2d_suite.attribute_prompts, sr2d_suite.ATTRIBUTES_SEED, sr2d_suite.N_ATTRIBUTE_PAIRS),
}


def write_suite(suite: str, output: Path, seed: int | None, n: int | None, out: TextIO) -> None:
    """Write a suite's prompts to a file: ``geneval`` (published, or sampled anew), ``sr2d``, or a variant of it.

    Raises:
        UsageError: a seed or a number was given that the suite has not.
    """
    if suite in _FIXED:
        prompts = _FIXED[suite]()
        if seed is not None or n is not None:
            raise UsageError(f"{suite} is one fixed list of {len(prompts):,} prompts; leave out --seed and --n")
    else:
        sample, usual_seed, usual_n = _SAMPLED[suite]
        try:
            prompts = sample(usual_seed if seed is None else seed, usual_n if n is None else n)
        except ValueError as error:
            raise UsageError(str(error)) from error
    with writing(output):
        write_prompts(prompts, output)
    print(f"{len(prompts)} prompts of suite {prompts[0].suite} written to {output}", file=out)


def export_prompts(context: Context, suite: str, output: str) -> None:
    """``export prompts``: a suite's prompts, as ``import prompts`` reads them."""
    prompts = library.prompts_of_suite(context.store, suite)
    if not prompts:
        raise CommandError(f"there are no prompts of suite {suite!r} in this project")
    write_whole(context.path(output), format_prompts(prompts).encode())
    context.say(f"{len(prompts)} prompts of suite {suite} in {output}")


def import_prompts(context: Context, file: str, suite: str) -> None:
    """Import a file of prompts; a flawed entry is left out.

    Raises:
        CommandError: something was left out; or an id has another text in the project, and nothing is imported.
    """
    path = context.path(file)
    read = read_prompt_file(path if path.is_dir() else context.file(file), suite)
    prompts = read.prompts
    _refuse_other_texts(context, path.name, prompts)
    content = digest(suite, format_prompts(prompts)) if path.is_dir() else digest(path, suite)
    (imported,) = imports.apply(context.store, [ImportBundle("prompts", suite, content, prompts=prompts)])
    context.warn(*read.omissions.notes)
    report_import(context, f"{suite}: {imported.counts.get('prompts', 0)} new of {len(prompts)} prompts", imported)
    _report_left(context, read.omissions)


def _report_left(context: Context, omissions: Omissions) -> None:
    """Say what was left out of a file.

    Raises:
        CommandError: something was.
    """
    context.warn(*(f"left out: {line}" for line in omissions.left[:_MOST_NAMED]))
    if len(omissions.left) > _MOST_NAMED:
        context.warn(f"left out: {len(omissions.left) - _MOST_NAMED:,} more")
    if omissions.left:
        raise CommandError(f"{len(omissions.left):,} left out (see above); the rest is imported")


def _refuse_other_texts(context: Context, file_name: str, prompts: Sequence[Prompt]) -> None:
    """Refuse prompts whose ids have another text in the project.

    Raises:
        CommandError: there are such prompts.
    """
    known = library.prompts_by_id(context.store, [prompt.prompt_id for prompt in prompts])
    others = [
        (known[prompt.prompt_id], prompt)
        for prompt in prompts
        if prompt.prompt_id in known and fold_spelling(known[prompt.prompt_id].text) != fold_spelling(prompt.text)
    ]
    if others:
        stored, prompt = others[0]
        raise CommandError(
            f"{prompt.prompt_id}: its text is {quoted(stored.text)} already, not {quoted(prompt.text)} as in {file_name}"
            f" ({wording.count(len(others), 'prompt')} of {len(prompts):,} differ); nothing was imported. If ids begin anew in"
            f" each file, give this one a suite of its own: --suite {prompt.suite}-2"
        )


def import_questions(context: Context, file: str | None, from_specs: bool, suite: str | None) -> None:
    """Import a question list, or make questions from the prompts' specs; a flawed entry of a list is left out.

    Raises:
        CommandError: something was left out; or the list is about other prompts of the same ids, and nothing is imported.
    """
    if (file is None) != from_specs:
        raise UsageError("give a FILE of questions, or --from-specs, and not both")
    if file is None:
        _from_specs(context, suite)
        return
    path = context.file(file)

    def texts(name: str) -> dict[str, str]:
        return {prompt.prompt_id: prompt.text for prompt in library.prompts_of_suite(context.store, name)}

    read = read_question_list(path, suite, texts)
    prompts = [questioned.prompt for questioned in read.prompts]
    _refuse_other_texts(context, path.name, prompts)
    questions = {questioned.prompt.prompt_id: questioned.questions for questioned in read.prompts}
    if not read.own_texts:
        _refuse_other_questions(context, path.name, questions)
    context.warn(*read.omissions.notes)
    _import(context, read.suite, digest(path), prompts, questions)
    _report_left(context, read.omissions)


def _refuse_other_questions(context: Context, file_name: str, questions: Mapping[str, tuple[PromptQuestion, ...]]) -> None:
    """Refuse a list that names prompts by id alone if the prompts' questions in the project are all others: those of another
    file, whose ids begin anew, too.

    Raises:
        CommandError: it is such a list.
    """
    before = library.current_questions(context.store, list(questions))
    others = [
        prompt_id
        for prompt_id, stored in before.items()
        if not {question.text for question in stored.questions} & {question.text for question in questions[prompt_id]}
    ]
    if others:
        prompt_id = others[0]
        stored, now = before[prompt_id].questions[0].text, questions[prompt_id][0].text
        raise CommandError(
            f"{prompt_id} is asked {quoted(stored)} already, and none of what {file_name} asks ({quoted(now)});"
            f" {wording.count(len(others), 'prompt')} of {len(questions):,} differ so, and nothing was imported. If ids begin"
            " anew in each file, import each file's prompts and questions with a --suite of their own; to replace them,"
            " take back the import that brought them: import undo"
        )


def _from_specs(context: Context, suite: str | None) -> None:
    known = library.prompts_of_suite(context.store, suite)
    if not known:
        raise CommandError(f"there are no prompts{f' of suite {suite!r}' if suite else ''} in this project; import some first")
    questions: dict[str, tuple[PromptQuestion, ...]] = {}
    for prompt in known:
        with suppress(SpecError):  # a shape of its own, which other commands do not mind either
            if made := questions_from_spec(prompt.demands):
                questions[prompt.prompt_id] = made
    if not questions:
        raise CommandError("none of these prompts has a spec that says what must be there; import questions FILE instead")
    if len(questions) < len(known):
        context.say(f"{len(known) - len(questions)} prompts have no spec that questions could be made from")
    _import(context, suite or "all suites", digest(RULE), [], questions)


def export_questions(context: Context, selection: Mapping[str, Sequence[str]], output: str) -> None:
    """``export questions``: what is asked now, as ``import questions`` reads it, with the questions' names and parents."""
    suites, tasks = (selection.get(name) or () for name in ("suite", "task"))
    prompts = [
        prompt
        for suite in suites or (None,)
        for prompt in library.prompts_of_suite(context.store, suite)
        if not tasks or prompt.task in tasks
    ]
    now = library.current_questions(context.store, [prompt.prompt_id for prompt in prompts])
    questioned = [QuestionedPrompt(prompt, now[prompt.prompt_id].questions) for prompt in prompts if prompt.prompt_id in now]
    if not questioned:
        raise CommandError("the prompts of this selection have no questions; nothing was written")
    write_whole(context.path(output), format_questions(questioned).encode())
    n, suite = sum(len(each.questions) for each in questioned), questioned[0].prompt.suite
    context.say(
        f"{n} questions about {len(questioned)} prompts in {output} (to bring them back: import questions --suite {suite})"
    )


def _import(
    context: Context, name: str, source: str, prompts: Sequence[Prompt], questions: Mapping[str, tuple[PromptQuestion, ...]]
) -> None:
    before = library.current_questions(context.store, list(questions))
    changed = {
        prompt_id: made for prompt_id, made in questions.items() if made != before.get(prompt_id, QuestionVersion()).questions
    }
    # what was imported, changed and is imported again is a new version: the same file need not be the same import
    now = json.dumps({prompt_id: before[prompt_id].number for prompt_id in sorted(before)})
    bundle = ImportBundle("questions", name, digest(name, source, now, *sorted(changed)), prompts=prompts, questions=changed)
    (imported,) = imports.apply(context.store, [bundle])
    replaced = len(before.keys() & changed.keys())
    more = f"; {replaced} prompts had others before" if replaced else ""
    n_kept = sum(
        are_comparable(question, other)
        for prompt_id in changed.keys() & before.keys()
        for question in changed[prompt_id]
        for other in before[prompt_id].questions
        if other.question_id == question.question_id
    )
    if n_kept:
        more += f", and {n_kept} of these questions too: answers to them stay comparable"
    summary = f"{name}: {imported.counts.get('questions', 0)} questions about {len(changed)} prompts{more}"
    if not changed:
        summary = "nothing to do: these questions are asked already"
    report_import(context, summary, imported)


def import_cooccurrence(context: Context, file: str, called: str | None) -> None:
    """Import the table; what made no sense in the file is told and left out, and the job is not wholly done then."""
    path = context.file(file)
    name = check_name(path.stem if called is None else called, "the name")
    read = read_cooccurrence(path, name)
    together, images = read.found.together, read.found.images
    bundle = ImportBundle("cooccurrence", name, sha256_of(path), cooccurrence=read.found, exclusive=True)
    classes = sum(a == b for a, b in together)
    pairs = wording.count(len(together) - classes, "pair")
    import_bundle(context, bundle, f"{name}: {pairs} of {classes:,} classes together in {images:,} images")
    context.warn(*(f"left out: {line}" for line in read.left))
    if read.left:
        raise CommandError("part of the file was skipped (see above); the rest is imported")
