"""``import questions``: the questions that are asked about prompts, from a file or made from the prompts' specs; and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from data.files import write_whole
from data.prompts.questions import (
    RULE,
    PromptQuestion,
    QuestionedPrompt,
    are_comparable,
    format_questions,
    questions_from_spec,
    read_questions,
)
from data.prompts.spec import SpecError, parse_spec
from data.records import Prompt
from data.store import imports, library
from data.store.imports import ImportBundle
from data.store.library import QuestionVersion
from ui.commands.context import CommandError, Context, UsageError, digest, report

_TIFA = "tifa"


def run(context: Context, file: str | None, from_specs: bool, suite: str | None) -> None:
    if (file is None) != from_specs:
        raise UsageError("give a FILE of questions, or --from-specs, and not both")
    if file is None:
        _from_specs(context, suite)
        return
    path = context.file(file)
    found = read_questions(path, suite or _TIFA)
    asked = {one.prompt.prompt_id: one.questions for one in found}
    _import(context, suite or _TIFA, digest(path), [one.prompt for one in found], asked)


def _from_specs(context: Context, suite: str | None) -> None:
    known = library.prompts_of_suite(context.store, suite)
    if not known:
        raise CommandError(f"there are no prompts{f' of suite {suite!r}' if suite else ''} in this project; import some first")
    asked = {prompt.prompt_id: made for prompt in known if (made := _made(prompt))}
    if not asked:
        raise CommandError("none of these prompts has a spec that says what must be there; import questions FILE instead")
    if len(asked) < len(known):
        context.say(f"{len(known) - len(asked)} prompts have no spec that questions could be made from")
    _import(context, suite or "all suites", digest(RULE), [], asked)


def _made(prompt: Prompt) -> tuple[PromptQuestion, ...]:
    try:
        return questions_from_spec(parse_spec(prompt.spec))
    except SpecError:  # a shape of its own, which other commands do not mind either
        return ()


def export(context: Context, selection: Mapping[str, Sequence[str]], output: str) -> None:
    """``export questions``: what is asked now, as ``import questions`` reads it, with the questions' names and parents."""
    suites: Sequence[str | None] = selection.get("suite") or [None]
    tasks = selection.get("task") or ()
    found = [
        one for suite in suites for one in library.prompts_of_suite(context.store, suite) if not tasks or one.task in tasks
    ]
    now = library.current_questions(context.store, [one.prompt_id for one in found])
    asked = [QuestionedPrompt(one, now[one.prompt_id].questions) for one in found if one.prompt_id in now]
    if not asked:
        raise CommandError("nothing is asked about the prompts of this selection; nothing was written")
    write_whole(context.path(output), format_questions(asked).encode())
    n, suite = sum(len(one.questions) for one in asked), asked[0].prompt.suite
    context.say(f"{n} questions about {len(asked)} prompts in {output} (to bring them back: import questions --suite {suite})")


def _kept(now: Sequence[PromptQuestion], before: QuestionVersion) -> int:
    """How many questions were asked before in the same words and under the same name."""
    named = {one.question_id: one for one in before.questions}
    return sum(one.question_id in named and are_comparable(one, named[one.question_id]) for one in now)


def _import(
    context: Context, name: str, source: str, found: Sequence[Prompt], asked: Mapping[str, tuple[PromptQuestion, ...]]
) -> None:
    before = library.current_questions(context.store, list(asked))
    changed = {
        prompt_id: made for prompt_id, made in asked.items() if made != before.get(prompt_id, QuestionVersion()).questions
    }
    # what was imported, changed and is imported again is a new version: the same file need not be the same import
    now = json.dumps({prompt_id: before[prompt_id].number for prompt_id in sorted(before)})
    bundle = ImportBundle("questions", name, digest(name, source, now, *sorted(changed)), prompts=found, questions=changed)
    (imported,) = imports.apply(context.store, [bundle])
    replaced = len(before.keys() & changed.keys())
    more = f"; {replaced} prompts had others before" if replaced else ""
    if kept := sum(_kept(made, before[prompt_id]) for prompt_id, made in changed.items() if prompt_id in before):
        more += f", and {kept} of these questions too: answers to them stay comparable"
    summary = f"{name}: {imported.counts.get('questions', 0)} questions about {len(changed)} prompts{more}"
    if not changed:
        summary = "nothing to do: these questions are asked already"
    report(context, summary, imported)
