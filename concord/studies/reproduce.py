"""Reproducing published studies: every number that a paper prints, beside ours, with what is between them and why; and VISOR's
tables from a project's own answers.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from agreement import Estimate, Options
from agreement.visor_study import tables
from concord.agreement import selected
from concord.common import reason_sentences, wording
from concord.common.context import CommandError, Context, UsageError, run_guarded
from concord.common.estimate_json import estimate_json
from concord.common.table import Field, field, statistic_field, table_of
from concord.common.text_tables import indented, interval
from concord.common.text_tables import markdown as markdown_table
from concord.studies import audit, imports, selfeval
from concord.studies.benchmarks import REPRODUCTIONS
from concord.studies.comparison import FORMATS, ComparedNumber
from concord.studies.judges import judges_of
from concord.suite_metrics import study_roles
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store
from data.studies.geneval import GENEVAL
from data.studies.visor import VISOR_PRINTED

_NOTES = (
    "In the paper: Gokhale et al., Benchmarking Spatial Relationships in Text-to-Image Generation (2022), in per cent, of other"
    " people's answers, which were not released: beside ours, not compared with them.",
    "Table IV: images on which more than half of three people or more give one answer, and on which all do."
    " Table V: images on which people's majority is what the scorer says.",
)
_NOTHING = (
    "nobody has answered VISOR's questions in this selection: run a campaign with the questionnaire visor, or import"
    " ratings of the aspects quality, scene, count, present, position and merged"
)


def reproduce_visor(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    chosen = selected(context, selection)
    judgements = frame.frame(context.store, replace(chosen, aspect=()))
    options = Options(intervals=intervals)
    study_tables = tables(judgements, frame.scales(context.store), study_roles(context.store, judgements), options)
    if not study_tables.questions:
        raise CommandError(_NOTHING)
    if output == "json":
        four = [_visor_json("among_people", "question", row) for row in study_tables.questions]
        five = [_visor_json("raters", "metric", row) for row in study_tables.metrics]
        context.say_json({"selection": chosen.to_dict(), "table_iv": four, "table_v": five, "notes": list(_NOTES)})
        return
    for title, names, rows in (("Table IV", _IV, study_tables.questions), ("Table V", _V, study_tables.metrics)):
        context.say(f"{title}\n")
        table = table_of(title, (*names, *_VISOR_FIELDS), rows)
        lines = markdown_table(table) if output == "md" else indented(table)
        context.say(*(lines if rows else ["  no scorer has judged these"]), "")
    context.say(*_NOTES)


def _printed(row: Estimate) -> str | None:
    """Return the paper's number, or None if the paper does not have the generator by that name."""
    return VISOR_PRINTED.get((row.aspect, row.generator, row.statistic))


def _visor_json(section: str, title: str, row: Estimate) -> dict[str, Any]:
    """Return a number as `estimate_json` does, with what the paper prints; ``title``: the key of the question or metric."""
    plain = {key: value for key, value in estimate_json(section, row).items() if key not in _NOT_IN_THE_TABLES}
    return {"suite": row.suite, title: row.aspect} | plain | {"printed": _printed(row)}


_NOT_IN_THE_TABLES = frozenset({"aspect", "target", "task", "ceiling", "kind"})
_SUITE: Field[Estimate] = field("suite", lambda row: row.suite)
_PEOPLE: Field[Estimate] = field("people", lambda row: row.people)
_GENERATOR: Field[Estimate] = field("generator", lambda row: row.generator)
_RATER: Field[Estimate] = field("rater", lambda row: row.rater)
_IV: Sequence[Field[Estimate]] = (_SUITE, _PEOPLE, _GENERATOR, field("question", lambda row: row.aspect))
_V: Sequence[Field[Estimate]] = (_SUITE, _PEOPLE, _RATER, _GENERATOR, field("metric", lambda row: row.aspect))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


_VISOR_FIELDS: Sequence[Field[Estimate]] = (
    field("statistic", lambda row: row.statistic),
    statistic_field("%", lambda row: _percent(row.value), "z.2f"),
    field("95 % interval", lambda row: interval(_percent(row.low), _percent(row.high), "z.2f")),
    field("in the paper", _printed),
    field("images", lambda row: row.n_items),
    field("answers", lambda row: row.n_ratings),
    field("left out", lambda row: ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row.excluded.items())),
    field("reason", lambda row: reason_sentences.text_or_none(row.reason)),
)


METADATA = "evaluation_metadata.jsonl"
ANNOTATIONS = "annotations_*.csv"
LIKERT = "human_annotations_with_scores.json"
FOLDERS: Mapping[str, tuple[str, ...]] = {
    "geneval": ("geneval",),
    "tifa": ("tifa",),
    "genai-bench": ("genai-bench",),
    "viescore": ("viescore", "imagenhub"),
    "imagenhub": ("imagenhub",),
    "tia2": ("tia2",),
    "arena": ("arena-votes",),
}
"""The folders of each study below the one that ``reproduce all`` is given."""


def execute(study: str, parameters: Mapping[str, Any]) -> int:
    """Run the command for one study in a project of its own, which goes when it is done; returns the exit status."""
    others: Mapping[str, Callable[..., None]] = {"selfeval": selfeval.reproduce, "all": reproduce_all}
    command = others.get(study, partial(_reproduce, study=study))
    with tempfile.TemporaryDirectory(prefix="concord-") as folder, Store(Path(folder)) as store:
        context = Context(store, Path.cwd(), sys.stdout, sys.stderr)
        return run_guarded(context, f"reproduce {study}", lambda: command(context, **parameters))


def _reproduce(context: Context, *, study: str, output: str, folders: Sequence[str], metadata: str | None = None) -> None:
    """One study: the arguments of ``import study``, or its folder."""
    _import(context, study, folders, metadata)
    lines = REPRODUCTIONS[study].compare(context.store)
    context.say(FORMATS[output](REPRODUCTIONS[study].study, lines))
    _check(lines)
    if study == "geneval":
        _name_absent_files(context)


def _name_absent_files(context: Context) -> None:
    """Say which of GenEval's sources were not compared, and that their files lie beside the others."""
    there = contents.filter_choices(context.store).generator
    if absent := [name for name in GENEVAL.sources if name not in there]:
        files = " and ".join(ANNOTATIONS.replace("*", name) for name in absent)
        context.warn(f"not compared: {', '.join(absent)}. {files} in the same public repository brings the other numbers")


def reproduce_all(context: Context, folder: str, output: str) -> None:
    """Every study whose folder lies in this one; Markdown is the audit."""
    root = context.path(folder)
    present = [study for study, names in FOLDERS.items() if all((root / name).is_dir() for name in names)]
    if not present:
        names = ", ".join(dict.fromkeys(name for needed in FOLDERS.values() for name in needed))
        raise CommandError(f"{folder}: no study in this folder; they are called {names}")
    audited = {}
    for study in present:
        _import(context, study, [str(root / name) for name in FOLDERS[study]])
        reproduction = REPRODUCTIONS[study]
        judged = judges_of(context.store, study, reproduction.study)
        audited[study] = audit.AuditedStudy(reproduction.compare(context.store), judged)
    context.say(audit.FORMATS[output](audited))
    _check([line for each in audited.values() for line in each.lines])


def _import(context: Context, study: str, folders: Sequence[str], metadata: str | None = None) -> None:
    # what an import says of its project is of no interest where that is thrown away; its warnings are
    quiet = replace(context, out=io.StringIO())
    if study == "geneval":
        imports.import_geneval(quiet, *_geneval_files(context, folders, metadata))
    elif study == "tifa":
        path = folders[0]
        imports.import_tifa(quiet, str(_single_file(context, path, LIKERT)) if context.path(path).is_dir() else path)
    else:
        importers: Mapping[str, Callable[..., None]] = {
            "genai-bench": imports.import_genai_bench,
            "imagenhub": imports.import_imagenhub,
            "viescore": imports.import_viescore,
            "tia2": imports.import_tia2,
            "arena": imports.import_arena,
        }
        importers[study](quiet, *folders)


def _geneval_files(context: Context, folders: Sequence[str], metadata: str | None = None) -> tuple[str, list[str]]:
    """The arguments of ``import study geneval``, or those of a folder that holds the files."""
    sources = list(folders)
    if len(sources) == 1 and context.path(sources[0]).is_dir():
        folder = sources[0]
        metadata = metadata or str(_single_file(context, folder, METADATA))
        sources = [f"{path.stem.removeprefix('annotations_')}={path}" for path in _files_named(context, folder, ANNOTATIONS)]
    elif not any("=" in source for source in sources):
        raise CommandError(f"{sources[0]}: there is no such folder; name one, or SOURCE=FILE with --metadata")
    if metadata is None:
        raise UsageError(f"--metadata {METADATA} is missing; it goes with SOURCE=FILE")
    known = GENEVAL.sources
    for source in sources:
        name, separator, _ = source.partition("=")
        if separator and name not in known:
            raise UsageError(f"{source}: the paper has no source {name!r}; name it one of {', '.join(known)}")
    return metadata, sources


def _files_named(context: Context, folder: str, pattern: str) -> list[Path]:
    """The files by that name in a folder and in the folders that it holds, as in a clone of the study's repository."""
    root = context.path(folder)
    paths = sorted([*root.glob(pattern), *root.glob(f"*/{pattern}")])
    if not paths:
        raise CommandError(f"{folder}: no {pattern} in this folder, nor in the folders that it holds")
    return paths


def _single_file(context: Context, folder: str, name: str) -> Path:
    paths = _files_named(context, folder, name)
    if len(paths) > 1:
        raise CommandError(f"{folder}: {name} is there {len(paths)} times; name the files yourself")
    return paths[0]


def _check(lines: Sequence[ComparedNumber]) -> None:
    """The exit status: 0 only if all that is determined is as printed."""
    different = sum(line.verdict == "different" for line in lines)
    determined = different + sum(line.verdict == "same" for line in lines)
    if not determined:
        raise CommandError("these data determine none of the paper's numbers")
    if different:
        raise CommandError(f"{different} of {determined} determined numbers not as printed")
