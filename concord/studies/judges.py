"""Judges and metrics of a published study beside its people: which agrees best, ranks best, and may take a person's place.

The numbers are those of ``agreement --compare``, ``rank`` and ``alt-test`` over the study's generators and all of its prompts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement import Comparison, Estimate
from agreement.meta.alternative_annotator import ADVANTAGE, AlternativeAnnotator, alternative_annotator
from agreement.meta.ranking import GENERATORS, PAIRWISE, Ranking, ranking
from agreement.study.cells import ALL
from concord import agreement
from concord.common import live_updates, wording
from concord.common.estimate_table import glance
from concord.comparison.leaderboard import BOARD
from concord.meta.findings import units_of
from concord.meta.replacement import Replacement, replacements
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store
from data.studies.arena import ARENA
from data.studies.genai_bench import GENAI_BENCH
from data.studies.imagenhub import IMAGENHUB, QUALITY
from data.studies.printed_numbers import PublishedStudy
from data.studies.tia2 import TIA2
from data.studies.viescore import VIESCORE


@dataclass(frozen=True, slots=True)
class JudgedAspect:
    """What people rate in a study, and which scorers are about it.

    Attributes:
        scorers: a regular expression of their names; None: they are another study's.
        graded: one of those that answer people's question from 0 to 10; divided by ten, as the study's own code does it, they
            stand on people's scale.
    """

    aspect: str
    scorers: str | None = ""
    graded: str | None = None


JUDGED: Final[Mapping[str, tuple[JudgedAspect, ...]]] = {
    "geneval": (JudgedAspect("correct"),),
    "tifa": (JudgedAspect("faithfulness"),),
    "genai-bench": (JudgedAspect(GENAI_BENCH.aspect),),
    "imagenhub": tuple(JudgedAspect(aspect, None) for aspect in (IMAGENHUB.aspect, QUALITY)),
    "viescore": (
        # a project's own judges are asked whether the image shows the prompt, not how good it looks
        JudgedAspect(VIESCORE.aspect, r" SC$|^CLIP_Score$|^judge-|^rubric-", r" SC$|^rubric-"),
        JudgedAspect(QUALITY, r" PQ$|^CLIP_Score$", r" PQ$"),
    ),
    "tia2": (JudgedAspect(TIA2.aspect),),
    "arena": (JudgedAspect(ARENA.aspect),),
}
"""By the study's name; ImagenHub's judges are VIEScore's."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge or metric beside people.

    Attributes:
        replacement: its agreement with people and the alternative annotator test.
        nearness: how often it is at least as near to the others as a person, the row `advantage` of `alt-test`.
        images, generators: rows of `rank`: the better image of a prompt, the order of generators; None where there are none.
    """

    replacement: Replacement
    nearness: AlternativeAnnotator | None
    images: Ranking | None
    generators: Ranking | None

    @property
    def name(self) -> str:
        return self.replacement.scorer

    @property
    def agreement(self) -> float:
        """With people; what is undefined comes last."""
        row = self.replacement.agreement
        return -1.0 if row is None or row.value is None else row.value


@dataclass(frozen=True, slots=True)
class JudgedPeople:
    """One aspect of a study: people, and the judges by their agreement with them, the best first.

    Attributes:
        among: people's agreement among themselves, the row of `agreement`; None without one.
        images, generators: people's own rows of `rank`.
        apart: rows of two judges compared, by their agreement with people on the same images.
    """

    suite: str
    judged: JudgedAspect
    among: Estimate | None
    images: Ranking | None
    generators: Ranking | None
    judges: tuple[Judge, ...]
    apart: tuple[Comparison, ...]

    @property
    def statistic(self) -> str:
        """By which judges agree with people, as a title."""
        return wording.title(str(next(row.statistic for each in self.judges if (row := each.replacement.agreement))))

    def ahead(self, first: Judge, second: Judge) -> Comparison | None:
        """How far the first judge is ahead of the second, on the images that both judged."""
        for row in self.apart:
            if row.value is not None and {row.a, row.b} == {first.name, second.name}:
                return row if row.a == first.name else row.turned()
        return None


@live_updates.cached(maxsize=32)
def judged_people(store: Store, suite: str, generators: tuple[str, ...], judged: JudgedAspect) -> JudgedPeople:
    """The judges of an aspect of a study in a project; no ``generators``: all."""
    selection = Selection(suite=(suite,), generator=generators, aspect=(judged.aspect,))
    judgements = frame.frame(store, selection)
    others = (judgements["kind"] == "scorer") & ~judgements["rater"].map(lambda name: _named(judged.scorers, name))
    # numbers are over all prompts, and pairs of judges are corrected over these alone
    judgements, scales = judgements[~others].assign(task=None), agreement.scales_of(store)
    report = agreement.rows_of(judgements, scales, selection, BOARD)
    ranked: dict[tuple[str | None, str], Ranking] = {}
    tests: list[AlternativeAnnotator] = []
    for units in units_of(judgements, scales, selection):
        if not units.simulated:
            ranked |= {(row.scorer, row.statistic): row for row in ranking(units, BOARD) if row.generator == ALL}
            graded = [name for name in units.scorers if _named(judged.graded, name)]
            tests += alternative_annotator(units.graded(graded), BOARD)
    nearness = {row.scorer: row for row in tests if row.statistic == ADVANTAGE}
    beside = replacements(tests, report.raters, ALL, "real")
    main = _statistic(beside)
    judges = [
        Judge(
            each if each.agreement and each.agreement.statistic == main else replace(each, agreement=None),
            nearness.get(each.scorer),
            ranked.get((each.scorer, PAIRWISE)),
            ranked.get((each.scorer, GENERATORS)),
        )
        for each in beside
    ]
    judges.sort(key=lambda each: -each.agreement)
    among = [row for row in report.among_people if (row.task, row.people) == (ALL, "real")]
    # by that statistic alone: of ten metrics the slower ones take minutes
    options = replace(BOARD, statistics=(main,)) if main and len(judges) > 1 else None
    apart = (
        agreement.further_of(judgements, scales, selection, options, agreement.Further(comparisons=True)).comparisons
        if options
        else ()
    )
    return JudgedPeople(
        suite,
        judged,
        next((row for row in glance(among)[0] if row.value is not None and row.target is None), None),
        ranked.get((None, PAIRWISE)),
        ranked.get((None, GENERATORS)),
        tuple(judges),
        tuple(row for row in apart or () if (row.task, row.people) == (ALL, "real")),
    )


def _statistic(beside: Sequence[Replacement]) -> str | None:
    """The one that compares judges with people on most images: where that of one judge is undefined, it has another."""
    images: Counter[str] = Counter()
    for row in (each.agreement for each in beside):
        images.update({} if row is None else {row.statistic: row.n_items})
    return images.most_common(1)[0][0] if images else None


def judges_of(store: Store, name: str, study: PublishedStudy) -> tuple[JudgedPeople, ...]:
    """Those of all that a study's people rated."""
    return tuple(judged_people(store, study.suite, tuple(study.sources), each) for each in JUDGED[name])


def _named(pattern: str | None, name: object) -> bool:
    return pattern is not None and re.search(pattern, str(name)) is not None
