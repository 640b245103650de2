"""SelfEval's printed votes and metrics: imported, and its claims decided by `reproduce selfeval`."""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from agreement import Options
from agreement.preferences import RankCorrelation
from concord.common.context import CommandError, Context, digest
from concord.common.table import texts
from concord.common.text_tables import aligned
from concord.common.text_tables import markdown as markdown_table
from concord.comparison import preferences
from concord.judging import direct, rating_answer, rating_evidence
from data.aspects import SCALES
from data.records import Annotation, Evidence, Item, Rater
from data.selection import Selection
from data.store import imports
from data.store.imports import ImportBundle
from data.studies.selfeval import (
    SELFEVAL_CLAIMS,
    SELFEVAL_LATENT,
    SELFEVAL_PAPER,
    SELFEVAL_PIXEL,
    SELFEVAL_TABLES,
    SELFEVAL_TASKS,
    SelfEvalClaim,
    selfeval_values,
    selfeval_votes,
)

_SELFEVAL_NAMESPACE = uuid.UUID("b5f0c1de-6a34-4d6e-9a86-0f4f0f1a7c28")
_SLOT = "selfeval/slot-1"
_METRIC = "SelfEval"


def import_selfeval(context: Context) -> None:
    """The votes as pairs, one for each, with one judgement; the metrics' values as scores of totals."""
    sha256 = digest(repr(SELFEVAL_TABLES))
    bundle = _selfeval_bundle(sha256)
    (imported,) = imports.apply(context.store, [bundle])
    if not imported.counts:
        context.say(f"study selfeval: nothing to do, imported before as import {imported.import_id}")
        return
    metrics = {total.rater_id for total in bundle.evidence}
    context.say(
        f"study selfeval: {len(bundle.annotations)} winning votes (ties were not published) and {len(bundle.evidence)} totals"
        f" of {len(metrics)} metrics, from {' and '.join(table.where for table in SELFEVAL_TABLES)}"
        f" (import {imported.import_id}; to take it back: import undo {imported.import_id})"
    )


def _selfeval_bundle(sha256: str) -> ImportBundle:
    items: list[Item] = []
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for table in SELFEVAL_TABLES:
        raw = {"generators": list(table.models), "source": f"{SELFEVAL_PAPER}, {table.where}, row Humans"}
        for task, won in selfeval_votes(table).items():
            for n, model in enumerate(model for model, votes in won.items() for _ in range(votes)):
                # each vote is a pair of its own: which of them were on the same prompt is not known
                item = Item(f"{table.suite}/{task}/vote {n + 1}", table.suite, None, task, None, "pair")
                key = str(uuid.uuid5(_SELFEVAL_NAMESPACE, f"{sha256}/{item.item_id}"))
                items.append(item)
                annotations.append(rating_answer(key, item.item_id, _SLOT, direct("preference", model, None), raw))
        values = (
            (metric.rater_id, task, model, value)
            for metric in table.metrics
            for task, by_model in selfeval_values(table, metric).items()
            for model, value in by_model.items()
        )
        for rater_id, task, model, value in values:
            item = Item(f"{table.suite}/{task}/{model} (total of the task)", table.suite, None, task, model)
            key = str(uuid.uuid5(_SELFEVAL_NAMESPACE, f"{sha256}/{item.item_id}/{rater_id}"))
            items.append(item)
            evidence.append(rating_evidence(key, item.item_id, rater_id, direct("score", None, value)))
    tables = " and ".join(table.where for table in SELFEVAL_TABLES)
    source = f"{SELFEVAL_PAPER}, {tables}: one printed value of each task and model"
    scorers = {
        metric.rater_id: Rater(metric.rater_id, "scorer", settings={"source": source, "negated": metric.lower_is_better})
        for table in SELFEVAL_TABLES
        for metric in table.metrics
    }
    return ImportBundle(
        "study selfeval",
        "printed",
        sha256,
        items=list({item.item_id: item for item in items}.values()),
        raters=[Rater(_SLOT, "human", "slot"), *scorers.values()],
        scales=[(table.suite, aspect, SCALES[aspect]) for table in SELFEVAL_TABLES for aspect in ("preference", "score")],
        annotations=annotations,
        evidence=evidence,
        exclusive=True,
    )


CheckedClaim = tuple[SelfEvalClaim, bool, str]
"""What the paper says in words, whether its printed numbers say the same, and what they say."""
Ranks = Mapping[str, Mapping[str, RankCorrelation]]
"""Spearman's rho of votes and each metric, by suite and metric."""


def reproduce(context: Context, output: str) -> None:
    """Figure 6 and the tables' agreeing and disagreeing cells, by what ``preferences`` makes of the imported study.

    Raises:
        CommandError: a sentence of the paper does not follow from its own numbers.
    """
    # what an import says of a project that is thrown away is of no interest
    import_selfeval(replace(context, out=io.StringIO()))
    computed = preferences.rows(context.store, Selection(suite=tuple(table.suite for table in SELFEVAL_TABLES)), Options())
    ranks: dict[str, dict[str, RankCorrelation]] = {}
    for row in computed.ranks:
        ranks.setdefault(row.suite, {})[row.rater] = row
    pixel, latent = ranks[SELFEVAL_PIXEL.suite], ranks[SELFEVAL_LATENT.suite]
    decided = [(claim, *_DECISIONS[claim.key](pixel, latent)) for claim in SELFEVAL_CLAIMS]
    if output == "json":
        document = {
            "paper": SELFEVAL_PAPER,
            "figure_6": [preferences.rank_json(row) for rows in ranks.values() for row in rows.values()],
            "cells": [
                {
                    "where": table.where,
                    "suite": table.suite,
                    "votes": selfeval_votes(table),
                    "metrics": {
                        name: {task: _cell(row, task) for task in SELFEVAL_TASKS} for name, row in ranks[table.suite].items()
                    },
                }
                for table in SELFEVAL_TABLES
            ],
            "sentences": [
                {"where": claim.where, "words": claim.words, "holds": holds, "ours": ours} for claim, holds, ours in decided
            ],
            "notes": list(_NOTES),
        }
        context.say_json(document)
    else:
        context.say(*_lines(ranks, decided, markdown=output == "md"))
    if wrong := sum(not holds for _, holds, _ in decided):
        raise CommandError(f"{wrong} of {len(decided)} sentences do not follow from the printed numbers")


_NOTES = (
    "The tables print totals, so these are their numbers and no votes of single people; ties were not published.",
    "rho: Spearman over the 10 (task, model) points of a table, between winning votes and the metric, larger being better (MID"
    " is printed with an arrow down, so it is negated; else its rho has the other sign). The interval draws the 5 tasks: it is"
    " wide.",
    "agree: the metric puts the task's two models in the order of the votes (the tables' green and red cells, whose colours the"
    " text does not give).",
    "Figure 6 is drawn, its numbers are not printed. How the paper pooled tasks is not said: within tasks, where the order is"
    " all that there is, agreement is higher than rho over all points, as a metric's level differs between tasks.",
)


def _agreeing(rows: Mapping[str, RankCorrelation]) -> dict[str, int]:
    return {name: len(row.agreeing) for name, row in rows.items()}


def _rho(rows: Mapping[str, RankCorrelation], others: bool) -> dict[str, float]:
    mine = {name: row.rho.value for name, row in rows.items() if name.startswith(_METRIC) is not others}
    return {name: value for name, value in mine.items() if value is not None}


def _numbers_text(numbers: Mapping[str, float]) -> str:
    return ", ".join(f"{name.split(' (')[0]} {value:+z.2f}" for name, value in numbers.items())


Rows = Mapping[str, RankCorrelation]


def _each_disagrees(pixel: Rows, _: Rows) -> tuple[bool, str]:
    agree = _agreeing(pixel)
    return max(agree.values()) < len(SELFEVAL_TASKS), _out_of(agree)


def _two_disagree_less(_: Rows, latent: Rows) -> tuple[bool, str]:
    agree = _agreeing(latent)
    two = [n for name, n in agree.items() if name.startswith(("CLIPScore", _METRIC))]
    return min(two) > max(n for name, n in agree.items() if not name.startswith(("CLIPScore", _METRIC))), _out_of(agree)


def _out_of(agree: Mapping[str, int]) -> str:
    return "agree in " + ", ".join(f"{name.split(' (')[0]} {n}/{len(SELFEVAL_TASKS)}" for name, n in agree.items())


def _all_others(rows: Rows, sign: int) -> tuple[bool, str]:
    """Whether rho of all metrics but SelfEval has this sign."""
    others = _rho(rows, others=True)
    return all(sign * value > 0 for value in others.values()), _numbers_text(others)


def _selfeval_positive(pixel: Rows, latent: Rows) -> tuple[bool, str]:
    both = [*_rho(pixel, others=False).values(), *_rho(latent, others=False).values()]
    return min(both) > 0, f"PDM {both[0]:+z.2f}, LDM {both[1]:+z.2f}"


_DECISIONS: Mapping[str, Callable[[Rows, Rows], tuple[bool, str]]] = {
    "pdm_each_disagrees": _each_disagrees,
    "ldm_two_disagree_less": _two_disagree_less,
    "ldm_others_negative": lambda _, latent: _all_others(latent, -1),
    "pdm_others_positive": lambda pixel, _: _all_others(pixel, 1),
    "selfeval_positive": _selfeval_positive,
}


def _cell(row: RankCorrelation, task: str) -> str:
    return "agree" if task in row.agreeing else "disagree" if task in row.opposed else "tie"


def _lines(ranks: Ranks, decided: Sequence[CheckedClaim], *, markdown: bool) -> Iterator[str]:
    yield SELFEVAL_PAPER
    for table in SELFEVAL_TABLES:
        yield ""
        yield f"{table.where}: {' and '.join(table.models)}, and Figure 6"
        head = ["", *SELFEVAL_TASKS, "agree", "rho", "95 % interval"]
        won = [f"{n[table.models[0]]} : {n[table.models[1]]}" for n in selfeval_votes(table).values()]
        body = [_line(name, row) for name, row in ranks[table.suite].items()]
        rows = [["people's votes", *won, "", "", ""], *body]
        yield from (markdown_table if markdown else aligned)(texts(table.where, head, rows))
    yield ""
    for claim, holds, ours in decided:
        yield f"{'As printed' if holds else 'Different'}: “{claim.words}” ({claim.where}); ours: {ours}."
    yield ""
    yield from _NOTES


def _line(name: str, row: RankCorrelation) -> list[str]:
    cells = [_cell(row, task) for task in SELFEVAL_TASKS]
    bounds = "" if row.rho.low is None else f"{row.rho.low:+z.2f} .. {row.rho.high:+z.2f}"
    return [name, *cells, f"{len(row.agreeing)}/{len(SELFEVAL_TASKS)}", f"{row.rho.value:+z.3f}", bounds]
