"""What the Agreement page's controls offer, and which statistics are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement import STATISTICS, ConsensusMethod
from agreement.catalogue import at_a_glance
from concord.common import wording
from data.store.browse import contents
from data.store.browse.contents import RaterCount
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.filters import Choice, Several
from ui.pages.agreement.first import at_once
from ui.pages.agreement.view import ALL, EVERY, NUMBERS, View

SHOWN = {
    NUMBERS: "All raters",
    "certainty": "By people’s certainty",
    "scorers": "Scorer against scorer",
    "thresholds": "Scores to decisions",
}
"""The page's parts."""
CONSENSUS: dict[ConsensusMethod, str] = {"majority": "Majority", "dawid_skene": "Dawid–Skene", "mace": "MACE"}
"""Consensuses of people that can be raters, too."""
TABLE = {EVERY: "All statistics"}
"""What can be asked of the tables."""


def choices(store: Store, asked: View) -> list[Choice | Several]:
    """The controls in the order of ``ADDRESS``, with what this suite and aspect have to choose from."""
    found = contents.judged_suites(store)
    suite = asked.suite if asked.suite in found else next(iter(sorted(found)), None)
    here = found[suite] if suite else contents.JudgedSuite([], [], [])
    default = next((name for name in ("correct", "faithfulness") if name in here.aspects), next(iter(here.aspects), None))
    aspect = asked.aspect if asked.aspect in here.aspects else default
    known = suite is not None and aspect is not None
    charted = _charted(store, suite or "", aspect or "") if known else {}
    raters = pairable(store, Selection(suite=(suite or "",), aspect=(aspect or "",))) if known else []
    names = [judge.name for judge in raters]
    others = [*_groups(raters), *names]
    return [
        Choice(sorted(found), suite),
        Choice(here.aspects, aspect),
        Choice([("all generators", ALL), *here.generators], _of(asked.generator, here.generators, ALL)),
        Choice([(wording.task(name), name) for name in (ALL, *here.tasks)], _of(asked.task, here.tasks, ALL)),
        Choice([(wording.title(s), s) for s in charted], _of(asked.statistic, charted, _first(charted))),
        Choice([(title, name) for name, title in SHOWN.items()], _of(asked.show, SHOWN, NUMBERS)),
        Several([(title, name) for name, title in CONSENSUS.items()], list(asked.methods)),
        Several([(title, name) for name, title in TABLE.items()], [name for name in TABLE if name == asked.table]),
        Choice([("none", ""), *names], _of(asked.a, names, "")),
        Choice([("none", ""), *others], _of(asked.b, others, "")),
    ]


def pairable(store: Store, selection: Selection) -> list[RaterCount]:
    """Who can be compared one by one: scorers first, then persons."""
    found = [judge for judge in contents.raters_of_selection(store, selection) if judge.scorer or judge.person]
    return sorted(found, key=lambda judge: not judge.scorer)


def _groups(raters: Sequence[RaterCount]) -> list[str]:
    """People taken together: real ones first."""
    imitated = any(judge.simulated for judge in raters)
    return [contents.PEOPLE, contents.SIMULATED] if imitated else [contents.PEOPLE]


def _of(asked: str, known: Sequence[str] | Mapping[str, object], otherwise: str | None) -> str | None:
    return asked if asked in known else otherwise


def _charted(store: Store, suite: str, aspect: str) -> dict[str, bool]:
    """Statistics that can be shown, and whether any of it is defined: the main ones of two raters first, then what scorers
    have too, means last."""
    rows = at_once(store, Selection(suite=(suite,), aspect=(aspect,)))
    against, among = ({row["statistic"] for row in rows[name]} for name in ("raters", "among_people"))
    main = at_a_glance(against | among, among=False)
    rest = [s for s in STATISTICS if s in against] + [s for s in STATISTICS if s in among - against]
    defined = {row["statistic"] for name in ("raters", "among_people") for row in rows[name] if row["value"] is not None}
    return {s: s in defined for s in sorted(dict.fromkeys((*main, *rest)), key=lambda s: s == "mean")}


def _first(charted: Mapping[str, bool]) -> str | None:
    """What is shown where nobody has chosen: the scale's primary statistic, or the next that is defined."""
    return next((s for s, defined in charted.items() if defined), next(iter(charted), None))
