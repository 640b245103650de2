"""Keep settings: what a scorer saw, judged by other settings, becomes another rater. No image is looked at again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from data.jobs.runs import Run
from data.records import Judgement, Rater
from data.store import runs
from data.store.core.store import Store
from data.store.runs import EvidenceRef, RejudgedEvidence
from scorers import registry
from scorers.base import Scorer
from scorers.running.rejudge import Rejudger
from ui.commands import score, working
from ui.commands.context import CommandError
from ui.commands.derive import judge, rules

_AT_ONCE: Final = 2000


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of it.

    Attributes:
        rater_id: who judges by these settings.
        import_id: takes it back; None where everything was there already.
        images: that were new to the rater.
    """

    rater_id: str
    import_id: int | None
    images: int


def keep(store: Store, rater_id: str, turned: Mapping[str, Any]) -> Kept:
    """Judge all evidence of a rater with these settings of judging, and keep that as the rater that ``score --set`` would
    make: if it is there already, it gets what it has not seen yet.

    Raises:
        CommandError: nothing is turned, or the rater has no run.
        ValueError: a setting is out of range.
    """
    row = next((one for one in reversed(runs.listed(store)) if one.rater_id == rater_id), None)
    if row is None:
        raise CommandError(f"{rater_id} has no evidence that could be judged again")
    scorer = registry.get(row.scorer)
    known = Rejudger(scorer, (), row.settings)
    known.turned(turned)
    # what is as in the run is not written down where the run's settings do not say it
    changed = {name: value for name, value in turned.items() if value != known.settings[name]}
    if not changed:
        raise CommandError(f"these are the settings of {rater_id} already")
    settings = {**row.settings, **changed}
    rater = _known(store, scorer, settings) or score.rater_of(store, scorer, row.profile, scorer.version, settings)
    stated = runs.evidence_to_rejudge(store, rater_id, rater.rater_id)
    copies = _copies(store, rater.rater_id, stated, Run("", scorer.name, scorer.version, row.profile, settings))
    judged = _judged(store, scorer, rater_id, stated, settings)
    done = runs.store_rejudged(store, RejudgedEvidence(rater, copies, judged, rules(scorer)))
    return Kept(rater.rater_id, done.import_id, done.images)


def _known(store: Store, scorer: Scorer, settings: Mapping[str, Any]) -> Rater | None:
    """Who judges by these very settings already, whatever its name."""
    same = (scorer.name, scorer.version, dict(settings))
    found = (row for row in runs.listed(store) if (row.scorer, row.version, dict(row.settings)) == same)
    return next((Rater(row.rater_id, "scorer", None, row.version, row.settings) for row in found), None)


def _copies(store: Store, rater_id: str, stated: Sequence[EvidenceRef], run: Run) -> dict[str, Run]:
    """By run whose evidence is judged again, the run that holds it then; numbers go on from the last one's."""
    number, slug = re.fullmatch(r"(\d+)-(.*)", working.next_id(store, rater_id)).groups()  # type: ignore[union-attr]
    names = dict.fromkeys(one.run_id for one in stated)
    return {
        name: Run(f"{int(number) + k:04d}-{slug}", run.scorer, run.version, run.profile, run.settings)
        for k, name in enumerate(names)
    }


def _judged(
    store: Store, scorer: Scorer, rater_id: str, stated: Sequence[EvidenceRef], settings: Mapping[str, Any]
) -> dict[str, Sequence[Judgement]]:
    """By evidence what follows from it."""
    found: dict[str, Sequence[Judgement]] = {}
    for start in range(0, len(stated), _AT_ONCE):
        some = stated[start : start + _AT_ONCE]
        items = [one.item_id for one in some]
        sights, asked = runs.evidence_without_masks(store, items, rater_id), runs.known_images(store, items)
        for one in some:
            if sights is not None and one.item_id in sights.seen and one.item_id in asked:
                found[one.evidence_id] = judge(scorer, asked[one.item_id].spec, sights.seen[one.item_id], settings)
    return found
