"""Consensuses as raters of the report: beside people, scorers and each other; and how each person does by them.

Rows are those of `report`, of kind `consensus`; no row about people or scorers changes with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.catalogue import CORRELATIONS, NUMBER_ALPHAS, chosen
from agreement.consensus.matrix import matrix
from agreement.consensus.methods import METHODS, Method
from agreement.consensus.ratings import Heard, hear, how_of
from agreement.inference.jackknife import Deletions
from agreement.numeric import BoolArray, cluster_sums, ratio
from agreement.report.certainty import select
from agreement.report.scorer_human import pair_alpha
from agreement.report.topic import Row, Topic, topics
from agreement.statistics import two_raters
from agreement.study.cells import ALL, Cell, Found, Key, Options, Place, walk
from agreement.study.frame import read
from agreement.study.outcome import Outcome, Used, compact, merged, outcome, undefined, used_rows

NO_OTHERS = "nowhere do the others' answers make a consensus"
QUALITIES: dict[Method, str] = {
    "majority": "percent_agreement",
    "dawid_skene": "expected_accuracy",
    "mace": "competence",
}
"""What a person's quality is called."""
_BESIDE = "each answer by people against the consensus of the others' answers ({})"
_QUALITY: dict[Method, str] = {
    "majority": "the person's answers against the strict majority of the others by unit",
    "dawid_skene": "by Dawid and Skene's model how often the person recognises a label, mean over labels by how common they"
    " are; no interval: that would take a fit without each prompt",
    "mace": "how probable it is by MACE that the person knew rather than guessed; no interval: that would take a fit"
    " without each prompt",
}


@dataclass(frozen=True)
class ConsensusReport:
    """Rows of consensuses: beside people, two by two with others, and each person's quality."""

    raters: tuple[Row, ...]
    matrix: tuple[Row, ...]
    quality: tuple[Row, ...]

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """JSON-able; the rows of `raters` and `matrix` have the keys of the report's, and the `kind` consensus."""
        kind = {"kind": "consensus"}
        # each person meets the consensus of the others, so it saw none of their own labels
        apart = {"ceiling": None, "saw_labels": False}
        return {
            "raters": [row.to_dict() | _of(row, "rater", "people_as") | kind | apart for row in self.raters],
            "matrix": [row.to_dict() | _of(row, "a", "b") | kind for row in self.matrix],
            "quality": [row.to_dict() | _of(row, "rater") | {"kind": "human"} for row in self.quality],
        }


def _of(row: Row, *names: str) -> dict[str, Any]:
    return {name: getattr(row.found.key, name) for name in names}


def consensus_rows(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    methods: Sequence[Method],
    options: Options | None = None,
) -> ConsensusReport:
    """The rows of some consensuses from a long frame of judgements, of all aspects that have labels.

    Args:
        frame: as for `report.build`.
        scales: as for `report.build`.
        methods: of METHODS.
        options: as for `report.build`. A consensus meets people each by each, so `people_as` leaves out other ways.

    Raises:
        ValueError: as `report.build`; also an unknown method.
        NoCrowdKitError: a model is asked for, and crowd-kit is not installed.
    """
    if unknown := sorted(set(methods) - set(METHODS)):
        raise ValueError(f"unknown consensus {', '.join(unknown)}; known are {', '.join(METHODS)}")
    wanted = options or Options()
    found = ConsensusReport((), (), ())
    for suite in read(select(frame, scales, wanted.certainty), scales):
        for aspect in suite.aspects:
            for simulated in (False, True):
                people = aspect.ratings.take(suite.raters_where(scorer=False, simulated=simulated)[aspect.ratings.rater])
                if not aspect.measure.labels or not people.valid.any():
                    continue
                order = [method for method in METHODS if method in methods]
                heard = [hear(suite, aspect, method, simulated=simulated, seed=wanted.seed) for method in order]
                for topic in topics(suite, aspect, wanted):
                    found = _joined(found, _of_topic(topic, heard, simulated=simulated))
    return found


def _joined(one: ConsensusReport, other: ConsensusReport) -> ConsensusReport:
    return ConsensusReport(one.raters + other.raters, one.matrix + other.matrix, one.quality + other.quality)


def _of_topic(topic: Topic, heard: Sequence[Heard], *, simulated: bool) -> ConsensusReport:
    units = np.unique(topic.ratings.unit)
    mine = [each.of(units) for each in heard]
    if not any(each.said.size for each in mine):
        return ConsensusReport((), (), ())
    raters: list[Row] = []
    quality: list[Row] = []
    for each in mine:
        raters += _beside(topic, each, simulated=simulated)
        quality += _qualities(topic, each, simulated=simulated)
    table = matrix(topic, mine, simulated=simulated) if topic.options.matrix else []
    return ConsensusReport(tuple(raters), tuple(table), tuple(quality))


def _beside(topic: Topic, heard: Heard, *, simulated: bool) -> list[Row]:
    """The consensus beside people, in every cell.

    A correlation takes people's mean by item, of which the consensus is made: there is none.
    """
    names = tuple(
        name
        for name in chosen(topic.measure.two_raters(), topic.options.statistics)
        if name == "mean" or (name not in CORRELATIONS and name != "auc" and topic.options.people_as in (None, "each"))
    )
    if not names:
        return []

    def compute(cell: Cell) -> dict[Key, Outcome]:
        met = _Met(topic, heard, cell)
        return {Key(name, rater=heard.name, people_as=None if name == "mean" else "each"): met.outcome(name) for name in names}

    return topic.rows(walk(heard.said, topic.suite, topic.options, compute), simulated=simulated)


class _Met:
    """People's answers of one cell, each beside the consensus without it."""

    def __init__(self, topic: Topic, heard: Heard, cell: Cell) -> None:
        self._heard, self._measure = heard, topic.measure
        said, other = cell.of(heard.said), cell.of(heard.held_out)
        known = other.label >= 0
        self._said, self._other = said.take(known), other.take(known)
        self._whole = cell.of(heard.whole)
        self._cluster = compact(self._said.cluster)
        self._cell = cell
        self._weights = cell.deletions.weights(self._cluster.size)
        excluded = merged([heard.excluded, {"no_consensus": int((~known).sum())}])
        items = int(np.unique(self._said.item).size)
        self._used = Used(items, self._said.size, self._cluster.size, excluded)

    def outcome(self, name: str) -> Outcome:
        """One statistic."""
        how = _BESIDE.format(how_of(self._heard.method))
        if self._heard.reason:
            return undefined(self._heard.reason, replace(self._used, items=0, ratings=0), how)
        if name == "mean":
            return self._mean()
        if not self._said.size:
            return undefined(NO_OTHERS, self._used, how)
        if name in NUMBER_ALPHAS:
            values, reason = pair_alpha(name, self._other.number, self._said.number, self._cluster.codes, self._weights)
            return outcome(values, reason, self._used, how)
        labels, ordinal = self._measure.labels, self._measure.ordinal
        codes = self._cluster.codes
        columns = two_raters.pair_columns(
            self._other.label, self._said.label, codes, self._cluster.size, labels, ordinal=ordinal
        )
        sums = two_raters.PairSums.unpack(self._weights @ columns, labels)
        sample = two_raters.PairSums.unpack(columns.sum(0), labels)
        return outcome(two_raters.FORMULAS[name](sums), two_raters.why_undefined(name, sample), self._used, how)

    def _mean(self) -> Outcome:
        rows, cluster = self._whole, compact(self._whole.cluster)
        used = Used(int(np.unique(rows.item).size), rows.size, cluster.size, self._heard.excluded)
        columns = np.stack([np.ones(rows.size), rows.number], axis=1)
        sums = self._cell.deletions.weights(cluster.size) @ cluster_sums(columns, cluster.codes, cluster.size)
        how = f"mean of the consensus over its units ({how_of(self._heard.method)})"
        return outcome(ratio(sums[:, 1], sums[:, 0]), "no unit has a consensus", used, how)


def _qualities(topic: Topic, heard: Heard, *, simulated: bool) -> list[Row]:
    """Each person's quality over all that they said."""
    person = topic.suite.raters_where(person=True)
    by_majority = heard.method == "majority"
    rows = []
    for code in np.unique(heard.said.rater[person[heard.said.rater]]):
        made = (_agreed if by_majority else _modelled)(topic, heard, heard.said.rater == code)
        key = Key(QUALITIES[heard.method], rater=topic.suite.raters[code].name)
        rows += topic.rows([Found(Place(ALL, ALL), key, made)], simulated=simulated)
    return rows if by_majority else [replace(row, method=row.found.outcome.how) for row in rows]


def _agreed(topic: Topic, heard: Heard, rows: BoolArray) -> Outcome:
    """How often a person says what more than half of the others say."""
    mine = rows & (heard.held_out.label >= 0)
    cluster = compact(heard.said.cluster[mine])
    weights = Deletions(topic.options.intervals).weights(cluster.size)
    labels, said, other = topic.measure.labels, heard.said.label[mine], heard.held_out.label[mine]
    columns = two_raters.pair_columns(said, other, cluster.codes, cluster.size, labels, ordinal=False)
    values = two_raters.percent_agreement(two_raters.PairSums.unpack(weights @ columns, labels))
    used = used_rows(heard.said, mine, cluster.size, {"no_consensus": int(rows.sum() - mine.sum())})
    return outcome(values, NO_OTHERS, used, _QUALITY["majority"])


def _modelled(_: Topic, heard: Heard, rows: BoolArray) -> Outcome:
    """What a model makes of a person."""
    used = used_rows(heard.said, rows, int(np.unique(heard.said.cluster[rows]).size), {})
    return outcome(np.array([heard.quality(rows)]), heard.no_quality, used, _QUALITY[heard.method])
