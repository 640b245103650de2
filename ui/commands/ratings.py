"""``import ratings``: anybody's table of ratings, as people's answers or scorers' evidence."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

from agreement import Scale, ScaleError
from data.records import Annotation, Evidence, Item, Prompt, Rater
from data.store import imports, prompts
from data.store.imports import Bundle
from data.studies.ratings import RatingRow, read_ratings
from ui.commands import exported
from ui.commands.context import CommandError, Context, UsageError, digest, report
from ui.commands.derive import DIRECT, converter, direct, rate

_NAMESPACE = uuid.UUID("0f4f7a0b-5c0f-4e0b-8f3b-0a3f6a1f8a55")
_MUST_BE_SAID = ("item", "rater", "value", "aspect", "scale")


def run(
    context: Context,
    file: str,
    columns: Mapping[str, str | None],
    aspect: str | None,
    scale: str | None,
    suite: str | None,
    kind: str | None,
) -> None:
    """``columns`` names the file's columns: ``item`` (several with commas), ``rater``, ``value``, and the optional others.

    Without a word about columns, aspect, scale, suite and kind the file is one of ``export ratings``, which says these itself.
    """
    path = context.file(file)
    said = {**columns, "aspect": aspect, "scale": scale, "suite": suite, "kind": kind}
    if not any(said.values()):
        exported.run(context, path)
        return
    missing = [f"--{name}" for name in _MUST_BE_SAID if not said[name]]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing; only a file of 'export ratings' is read without any option")
    _table(context, path, columns, str(aspect), str(scale), suite or "ratings", kind or "human")


def _table(
    context: Context, path: Path, columns: Mapping[str, str | None], aspect: str, scale: str, suite: str, kind: str
) -> None:
    if not aspect.strip() or not suite.strip() or "/" in suite:
        raise UsageError("--aspect and --suite need a name, and a suite's has no '/'")
    try:
        parsed = Scale.parse(scale)
    except ScaleError as error:
        raise UsageError(f"--scale: {error}") from error
    found = read_ratings(
        path,
        [name.strip() for name in (columns["item"] or "").split(",") if name.strip()],
        columns["rater"] or "",
        columns["value"] or "",
        converter(parsed, aspect),
        columns["prompt"],
        columns["generator"],
        columns["task"],
    )
    if not found.rows:
        raise CommandError(f"{path}: no ratings in it ({found.empty} rows have no value)")
    sha256 = digest(path, repr((sorted(columns.items()), aspect, str(parsed), suite, kind)))
    bundle = _bundle(found.rows, _prompts(context, found.rows, suite), aspect, str(parsed), suite, kind, sha256)
    (imported,) = imports.apply(context.store, [bundle])
    left = f", {found.empty} rows without a value skipped" if found.empty else ""
    report(context, f"{len(found.rows)} ratings of {len(bundle.items)} items by {len(bundle.raters)} raters{left}", imported)


def _prompts(context: Context, rows: tuple[RatingRow, ...], suite: str) -> dict[str, Prompt]:
    """By the file's own word for it: a prompt of the project, named by its id, its number or its text, or else a new one."""
    known = {prompt.prompt_id: prompt for prompt in prompts.of_suite(context.store, suite)}
    texts = {prompt.text: prompt for prompt in reversed(known.values())}
    found: dict[str, Prompt] = {}
    for row in rows:
        if (word := row.prompt) is not None and word not in found:
            own = f"{suite}/{word}"
            new = Prompt(own, suite, word, row.task)
            found[word] = known.get(word) or known.get(own) or texts.get(word) or new
    return found


def _bundle(
    rows: tuple[RatingRow, ...], named: dict[str, Prompt], aspect: str, scale: str, suite: str, kind: str, sha256: str
) -> Bundle:
    items = {row.item_key: _item(row, suite, named) for row in rows}
    raters = {
        row.rater: Rater(row.rater, "scorer") if kind == "scorer" else Rater(row.rater, "human", "person") for row in rows
    }
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for n, row in enumerate(rows):
        source_id = str(uuid.uuid5(_NAMESPACE, f"{sha256}/{n}"))
        said = direct(aspect, row.label, row.number)
        if kind == "scorer":
            version, judgements = rate(said)
            evidence.append(Evidence(source_id, row.item_key, row.rater, said, judgements, version))
        else:
            version, judgements = rate(said)
            annotations.append(Annotation(source_id, row.item_key, row.rater, DIRECT, said, judgements, version))
    return Bundle(
        "ratings",
        f"{suite} {aspect}",
        sha256,
        prompts=list(named.values()),
        items=list(items.values()),
        raters=list(raters.values()),
        scales=[(suite, aspect, scale)],
        annotations=annotations,
        evidence=evidence,
    )


def _item(row: RatingRow, suite: str, named: dict[str, Prompt]) -> Item:
    prompt_id = named[row.prompt].prompt_id if row.prompt is not None else None
    return Item(row.item_key, suite, prompt_id, row.task, row.generator)
