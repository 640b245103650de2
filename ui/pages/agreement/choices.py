"""What the Agreement page's controls offer, and which statistics are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement import ConsensusMethod
from data.aspects import YES_NO_ASPECTS
from data.store import browse, judges
from data.store.judges import Judge
from data.store.selection import Selection
from data.store.store import Store
from ui import words
from ui.components.filters import Choice, Several
from ui.pages.agreement.first import at_once
from ui.pages.agreement.view import ALL, NUMBERS, View

# In this order, those that make sense for the aspect's scale.
AMONG = (
    "mean",
    "percent_agreement",
    "unanimous_share",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "percent_agreement_first_vs_rest",
)
AGAINST = (
    "mean",
    "percent_agreement",
    "cohen_kappa",
    "cohen_kappa_quadratic",
    "gwet_ac1",
    "spearman",
    "pearson",
    "kendall_tau_b",
    "auc",
)
SHOWN = {
    NUMBERS: "All raters",
    "certainty": "By people’s certainty",
    "scorers": "Scorer against scorer",
    "thresholds": "Scores to decisions",
}
"""The page's parts."""
CONSENSUS: dict[ConsensusMethod, str] = {"majority": "Majority", "dawid_skene": "Dawid–Skene", "mace": "MACE"}
"""Consensuses of people that can be raters, too."""
_KAPPA = "cohen_kappa"


def choices(store: Store, asked: View) -> list[Choice | Several]:
    """The controls in the order of ``ADDRESS``, with what this suite and aspect have to choose from."""
    found = browse.judged(store)
    suite = asked.suite if asked.suite in found else next(iter(sorted(found)), None)
    here = found[suite] if suite else browse.Judged([], [], [])
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
        Choice([(words.task(name), name) for name in (ALL, *here.tasks)], _of(asked.task, here.tasks, ALL)),
        Choice([(words.title(s), s) for s in charted], _of(asked.statistic, charted, _first(charted, aspect))),
        Choice([(title, name) for name, title in SHOWN.items()], _of(asked.show, SHOWN, NUMBERS)),
        Several([(title, name) for name, title in CONSENSUS.items()], list(asked.methods)),
        Choice([("none", ""), *names], _of(asked.a, names, "")),
        Choice([("none", ""), *others], _of(asked.b, others, "")),
    ]


def pairable(store: Store, selection: Selection) -> list[Judge]:
    """Who can be compared one by one: scorers first, then persons."""
    found = [judge for judge in judges.judges(store, selection) if judge.scorer or judge.person]
    return sorted(found, key=lambda judge: not judge.scorer)


def _groups(raters: Sequence[Judge]) -> list[str]:
    """People taken together: real ones first."""
    imitated = any(judge.simulated for judge in raters)
    return [browse.PEOPLE, browse.SIMULATED] if imitated else [browse.PEOPLE]


def _of(asked: str, known: Sequence[str] | Mapping[str, object], otherwise: str | None) -> str | None:
    return asked if asked in known else otherwise


def _charted(store: Store, suite: str, aspect: str) -> dict[str, bool]:
    """Statistics that can be shown, those first that scorers have too; whether any of it is defined."""
    rows = at_once(store, Selection(suite=(suite,), aspect=(aspect,)))
    against, among = ({row["statistic"] for row in rows[name]} for name in ("raters", "among_people"))
    found = [s for s in AGAINST if s in against] + [s for s in AMONG if s in among - against]
    defined = {row["statistic"] for name in ("raters", "among_people") for row in rows[name] if row["value"] is not None}
    return {s: s in defined for s in sorted(found, key=lambda s: s == "mean")}


def _first(charted: Mapping[str, bool], aspect: str | None) -> str | None:
    """What is shown where nobody has chosen: of yes or no kappa, as agreement flatters whoever always says the same."""
    order = [_KAPPA, *charted] if aspect in YES_NO_ASPECTS else [*charted]
    return next((s for s in order if charted.get(s)), next(iter(charted), None))
