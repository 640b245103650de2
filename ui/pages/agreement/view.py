"""What the Agreement page is asked to show, the address that says so, and what its controls offer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Final
from urllib.parse import parse_qsl, urlencode

from htpy import Node

from agreement import CONSENSUSES, STATISTICS, ConsensusMethod, Options
from agreement.catalogue import at_a_glance
from agreement.estimate import Estimate
from concord.agreement import AgreementRows, quick_estimates, recall
from concord.common import next_steps, wording
from concord.common.estimate_table import glance
from concord.scope import main_suite
from data.browsing import JudgedSuite, RaterCount
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.browse.contents import count_judgements
from data.store.core.store import Store
from ui.components.tables import note
from ui.shell.controls import Choice
from ui.shell.view import View

PATH: Final = "/agreement"
ALL = "all"
NUMBERS = ALL
EVERY = "all_statistics"
ADDRESS = ("suite", "aspect", "generator", "task", "statistic", "show", "consensus", "table", "a", "b")
"""What has a control of its own, by its name in the address."""


@dataclass(frozen=True)
class AgreementView(View):
    """What is shown.

    Attributes:
        show: which of the page's parts.
        consensus: which consensuses of people are raters, too: names with a comma between them.
        table: EVERY for tables with every statistic, not only the main ones.
        a, b: the pair that is opened, if any.
        further: what else restricts the selection, as an address's query: the filters without a control.
    """

    PATH: ClassVar[str] = PATH
    suite: str = ""
    aspect: str = ""
    generator: str = ALL
    task: str = ALL
    statistic: str = ""
    show: str = NUMBERS
    consensus: str = ""
    table: str = ""
    a: str = ""
    b: str = ""
    further: str = ""

    @property
    def selection(self) -> Selection:
        """The judgements that the numbers are made from."""
        here = Selection(suite=(self.suite,), aspect=(self.aspect,))
        chosen = replace(restricted(self.further), suite=here.suite, aspect=here.aspect)
        return chosen if self.generator == ALL else replace(chosen, generator=(self.generator,))

    @property
    def methods(self) -> tuple[ConsensusMethod, ...]:
        """The consensuses by name; what is none is left out."""
        names = self.consensus.split(",")
        return tuple(method for method in CONSENSUSES if method in names)

    def listed(self, rows: Sequence[Estimate]) -> list[Estimate]:
        """What the tables show of ``rows``: the chosen statistic and the main ones, or every one."""
        return list(rows) if self.table == EVERY else glance(rows, self.statistic)[0]

    def query(self) -> list[tuple[str, str]]:
        """The names and values of its address."""
        return [pair for pair in super().query() if pair[0] != "further"] + parse_qsl(self.further)


def further(parameters: Sequence[tuple[str, str]]) -> str:
    """What of an address restricts the selection and has no control; several generators or tasks have none, either."""
    several = {name for name in ("generator", "task") if sum(key == name for key, _ in parameters) > 1}
    mine = {field.name for field in fields(Selection)} - ({"suite", "aspect", "generator", "task"} - several)
    return urlencode([(key, value) for key, value in parameters if key in mine and value])


def restricted(query: str) -> Selection:
    """The selection of such a query.

    Raises:
        ValueError: a value that cannot be followed, such as a date that is none.
    """
    pairs = parse_qsl(query)
    return Selection.of(lambda name: [value for key, value in pairs if key == name])


def where(view: AgreementView) -> str:
    """The suite, the aspect, the generator and the task in words."""
    generator = "all generators" if view.generator == ALL else view.generator
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    return f"{view.suite}, {wording.aspect(view.aspect)}, {generator}{task}"


def restriction(view: AgreementView) -> str:
    """What else restricts the selection, in words; nothing if nothing does."""
    parts = [f"{name} {', '.join(values)}" for name, values in restricted(view.further).to_dict().items()]
    return "; ".join(parts)


_LARGE, _HUGE = 50_000, 500_000


def is_large(store: Store) -> bool:
    """Whether the project has so many judgements that only the sums that stand are quick enough."""
    return count_judgements(store) > _LARGE


def is_huge(store: Store) -> bool:
    """Whether it has so many that intervals, and any two raters, take minutes: a page does not make them after every answer."""
    return count_judgements(store) > _HUGE


def passes(store: Store) -> tuple[bool, ...]:
    """How a page draws: whether with intervals, first and then."""
    return (False,) if is_huge(store) else (False, True)


def intervals_note(store: Store, selection: Selection) -> Node:
    """What is said where there are no intervals, as HTML."""
    if not is_huge(store):
        return note("Intervals are being computed …", "cc-updating")
    filters = [word for name, values in selection.to_dict().items() for value in values for word in (f"--{name}", value)]
    (line,) = next_steps.command_lines(store, (shlex.join(["agreement", *filters]),))
    count = f"{count_judgements(store):,}"
    return note(f"Of {count} judgements the page shows point estimates; intervals and pairs of raters take minutes: {line}")


def first_estimates(store: Store, selection: Selection) -> AgreementRows:
    """People among themselves and scorers against people, without intervals; of a large project what stands already."""
    quick = quick_estimates(store, selection) if is_large(store) else None
    return quick or recall(store, selection, Options(intervals=False, each_generator=False, matrix=False))


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
"""Options of the tables."""


def choices(store: Store, view: AgreementView) -> dict[str, Choice]:
    """The controls by the names of ``ADDRESS``, with what this suite and aspect have to choose from."""
    suites = contents.judged_suites(store)
    suite = view.suite if view.suite in suites else main_suite(store)
    here = suites[suite] if suite else JudgedSuite([], [], [])
    default = next((name for name in ("correct", "faithfulness") if name in here.aspects), next(iter(here.aspects), None))
    aspect = view.aspect if view.aspect in here.aspects else default
    known = suite is not None and aspect is not None
    charted = _charted(store, suite or "", aspect or "") if known else {}
    raters = pairable(store, Selection(suite=(suite or "",), aspect=(aspect or "",))) if known else []
    names = {judge.name: judge.name for judge in raters}
    # people taken together: real ones first
    imitated = any(groups.simulated for groups in raters)
    groups = (PEOPLE, SIMULATED) if imitated else (PEOPLE,)
    # where nobody has chosen: the scale's primary statistic, or the next that is defined
    first = next((s for s, defined in charted.items() if defined), next(iter(charted), None))
    return {
        "suite": Choice(sorted(suites), suite),
        "aspect": Choice(here.aspects, aspect),
        "generator": Choice.among({ALL: "all generators"} | {name: name for name in here.generators}, view.generator),
        "task": Choice.among({name: wording.task(name) for name in (ALL, *here.tasks)}, view.task),
        "statistic": Choice.among({s: wording.title(s) for s in charted}, view.statistic, first),
        "show": Choice.among(SHOWN, view.show),
        "consensus": Choice([(title, name) for name, title in CONSENSUS.items()], list(view.methods)),
        "table": Choice([(title, name) for name, title in TABLE.items()], [name for name in TABLE if name == view.table]),
        "a": Choice.among({"": "the closest scorer"} | names, view.a),
        "b": Choice.among({"": "people (or simulated)"} | {name: name for name in groups} | names, view.b),
    }


def pairable(store: Store, selection: Selection) -> list[RaterCount]:
    """Who can be compared one by one: scorers first, then persons."""
    counts = [judge for judge in contents.raters_of_selection(store, selection) if judge.scorer or judge.person]
    return sorted(counts, key=lambda judge: not judge.scorer)


def _charted(store: Store, suite: str, aspect: str) -> dict[str, bool]:
    """Statistics that can be shown, and whether the page may open with it, as there is a number of it (of a scorer, where one
    has any): the main ones of two raters first, then what scorers have too, the order of scores before all; means last."""
    rows = first_estimates(store, Selection(suite=(suite,), aspect=(aspect,)))
    against, among = ({row.statistic for row in section} for section in (rows.raters, rows.among_people))
    main = at_a_glance(against | among, among=False)
    rest = [s for s in ("spearman", *STATISTICS) if s in against] + [s for s in STATISTICS if s in among - against]
    of_scorers, of_people = (
        {row.statistic for row in section if row.value is not None} for section in (rows.raters, rows.among_people)
    )
    defined = of_scorers - {"mean"} or of_people
    return {s: s in defined for s in sorted(dict.fromkeys((*main, *rest)), key=lambda s: s == "mean")}
