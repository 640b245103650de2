"""What the page draws: a selection's evidence judged by the settings that the knobs stand at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from agreement.tuning import CellStatistic, YesNoCounts, agreements, shares
from concord import rejudging
from concord.common import wording
from concord.rejudging import RaterEvidence
from data.store.browse import contents
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.strip import thumbnails
from ui.components.table import heading, note
from ui.pages.agreement.thresholds import scores_to_decisions
from ui.pages.agreement.view import View as Decisions
from ui.pages.explore import figure, tables
from ui.pages.explore.curve import curve, told
from ui.pages.explore.tables import Compared
from ui.pages.explore.view import ALL, CHANGED, KINDS, View

MOST_PICTURES: Final = 48
_NOW: Final = {1: "correct now", 0: "wrong now", -1: "left open now"}
_NO_KNOBS: Final = (
    "{rater} has no thresholds to turn: its verdicts came as they are, or its scorer has none. Choose another rater."
)


@dataclass(frozen=True)
class Drawn:
    """What the thresholds part shows.

    Attributes:
        lead: HTML above; ``plot``: None if there is nothing to draw; ``told``: HTML beneath it.
        numbers: the tables; ``changes``: the table of changed verdicts; ``pictures``: their images.
    """

    lead: str
    plot: Any = None
    told: str = ""
    numbers: str = ""
    changes: str = ""
    pictures: str = ""


def drawn(store: Store, view: View) -> Drawn:
    """The thresholds part; ``view`` names what there is."""
    evidence = rejudging.evidence(store, view.suite, view.rater)
    if evidence is None:
        return _by_scores(store, view)
    compared = Compared(evidence.again.correct({}), evidence.again.correct(view.turned), evidence.places)
    heard = rejudging.people_verdicts(store, evidence)
    found = curve(store, evidence, view)
    plot = None
    if found is not None:
        plot = figure.figure(found, view, evidence.scorer.knobs[view.along].title, float(view.own[view.along]))
    return Drawn(
        lead=_lead(compared, evidence, view, heard.get(KINDS[view.people])),
        plot=plot,
        told=told(found, evidence, view) if found is not None else note("No setting decides anything in this task."),
        numbers=tables.scores(compared, view) + tables.with_people(compared, heard),
        changes=tables.changes(compared, view),
        pictures=_pictures(store, evidence, compared, view),
    )


def _lead(compared: Compared, evidence: RaterEvidence, view: View, heard: YesNoCounts | None) -> str:
    """The page's first sentence: what follows from these settings."""
    both = (compared.before, compared.now)
    score = [_of_all(shares(said, compared.places), "mean") for said in both]
    parts = [f"{view.rater} on {wording.count(compared.now.size, 'image')} of {view.suite}: score {_step(*score)}"]
    if heard is not None:
        agreed = [_of_all(agreements(said, heard, compared.places), view.statistic) for said in both]
        parts.append(f"{wording.title(view.statistic)} with {view.people} {_step(*agreed)}")
    parts.append(f"{wording.count(len(compared.changed()), 'verdict')} changed.")
    sentence = ", ".join(parts)
    if evidence.total > compared.now.size:
        sentence += f" These are images taken by chance of the {evidence.total:,} that it has seen."
    return note(sentence, "cc-lead")


def _of_all(found: Sequence[CellStatistic], statistic: str) -> float | None:
    """The value of all images of all generators."""
    return next(
        one.outcome.value for one in found if (one.place.generator, one.place.task, one.statistic) == (ALL, ALL, statistic)
    )


def _step(before: float | None, now: float | None) -> str:
    was, said = ("undefined" if value is None else f"{value:.3f}" for value in (before, now))
    return said if was == said else f"{was} → {said}"


def _pictures(store: Store, evidence: RaterEvidence, compared: Compared, view: View) -> str:
    """The images whose verdicts changed, as they are asked for."""
    found = compared.changed(view.task, view.changed)
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    title = f"Verdicts that changed: {CHANGED[view.changed]}{task}"
    if not found:
        return heading(title, "None. Move a slider.")
    shown = {evidence.again.cases[k].item_id: _said(evidence, compared, view, k) for k in found[:MOST_PICTURES]}
    more = f"The first {MOST_PICTURES} of {wording.count(len(found), 'image')}." if len(found) > MOST_PICTURES else ""
    place = Selection(suite=(view.suite,)) if view.task == ALL else Selection(suite=(view.suite,), task=(view.task,))
    return heading(title, more) + thumbnails(contents.item_previews(store, [*shown]), shown, place)


def _said(evidence: RaterEvidence, compared: Compared, view: View, k: int) -> str:
    """Whose image it is, and what is said of it now; the Workbench says what the run said."""
    case, places = evidence.again.cases[k], evidence.places
    reason = evidence.scorer.judge(case.spec, case.seen, {**evidence.again.settings, **view.turned}).reason
    first = f": {reason.splitlines()[0]}" if reason else ""
    return f"{places.generators[int(places.generator[k])]}, {_NOW[int(compared.now[k])]}{first}"


def _by_scores(store: Store, view: View) -> Drawn:
    """Of a rater that gives numbers instead of verdicts: where to cut them."""
    decisions = Decisions(suite=view.suite, aspect=rejudging.ASPECT, task=view.task, a=view.rater)
    scored = {judge.name for judge in contents.raters_of_selection(store, Selection(suite=(view.suite,), aspect=("score",)))}
    if view.rater not in scored:
        return Drawn(note(_NO_KNOBS.format(rater=view.rater)))
    lead = note(f"{view.rater} gives a number for each image of {view.suite}: “yes” is what lies above a cut.", "cc-lead")
    only = replace(decisions, further=urlencode({"rater": view.rater}))
    plot, numbers = scores_to_decisions(store, only, intervals=False)
    return Drawn(lead, plot, numbers=numbers)
