"""Recruitment of the people in a report's campaigns: what was stated, and what Concord counted itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from concord.campaigns import payment
from concord.campaigns.payment import Payroll
from concord.common import wording
from data.campaigns.recruitment import NOT_REPORTED, RECRUITMENT_FIELDS
from data.campaigns.settings import Settings
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import WorkerStats
from data.store.core.store import Store

_IMPORTED = "ratings that came in files"


FIELD_TITLES: Final[Mapping[str, str]] = {
    **{name: described.title for name, described in RECRUITMENT_FIELDS.items()},
    # what nobody is asked, as Concord counts it
    **{"overlap": "People for each item", "time": "Time", "period": "Period"},
}


@dataclass(frozen=True, slots=True)
class Recruitment:
    """One campaign, or all that is of none: what was said by field, and what Concord counted by field."""

    name: str
    said: Mapping[str, str]
    counted: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Field, said, counted; a field of neither is not reported."""
        for name, title in FIELD_TITLES.items():
            counted = self.counted.get(name, "")
            if name in RECRUITMENT_FIELDS or counted:
                yield title, self.said.get(name, "" if counted else NOT_REPORTED), counted


def recruited(store: Store, judgements: pd.DataFrame) -> list[Recruitment]:
    """Every campaign of these judgements by people, in order, and what is of none."""
    people = judgements[judgements.kind == "human"]
    recruitments = [
        recruitment for name in sorted(people.campaign.dropna().unique()) if (recruitment := _campaign(store, str(name)))
    ]
    rest = people[people.campaign.isna()]
    return [*recruitments, *([Recruitment(_IMPORTED, {}, _imported(rest))] if len(rest) else [])]


def _imported(rest: pd.DataFrame) -> dict[str, str]:
    slots = rest.loc[rest.identity == "slot", "rater"].nunique()
    persons = rest.loc[rest.identity != "slot", "rater"].nunique()
    parts = [wording.count(persons, "person")] if persons else []
    parts += [f"{wording.count(slots, 'slot')}, which are nobody in particular"] if slots else []
    return {"workers": "; ".join(parts), "data": _DATA}


def _campaign(store: Store, name: str) -> Recruitment | None:
    campaign = management.get(store, name)
    if campaign is None:
        return None
    settings, workers, roll = campaign.settings, monitoring.workers(store, name), payment.payroll(store, campaign)
    form = f"Concord’s form, questionnaire {campaign.questionnaire} {campaign.version or ''}".rstrip()
    limit = f", {wording.count(settings.limit, 'item')} a person at most" if settings.limit else ""
    counted = {
        "workers": _people(workers),
        "recruitment": _platforms(roll),
        "qualification": _training(workers, settings.pass_mark),
        "interface": f"{form}, {settings.order} order{limit}",
        "instructions": _text(settings.instructions),
        "attention_checks": _checks(workers, settings.check_every),
        "consent": _text(settings.consent),
        **_pay(settings, roll),
        "data": _DATA,
        "overlap": str(campaign.overlap),
        "time": _time(workers),
        "period": _period(workers),
    }
    title = campaign.title or name
    heading = name if title == name else f"{title} ({name})"
    return Recruitment(heading, management.recruitment_of(store, name), {key: text for key, text in counted.items() if text})


def _pay(settings: Settings, roll: Payroll) -> dict[str, str]:
    """What the campaign's prices say and its people got, as far as anything is paid."""
    if not settings.pay.paid:
        return {}
    base = f", {settings.base_pay} {settings.currency} at least for whoever reaches the end".replace("  ", " ")
    per_item = f"{settings.item_price or '0'} {settings.currency}".rstrip()
    target = f"; the target was {settings.target_wage}" if settings.target_wage else ""
    return {
        "pay_per_item": per_item + (base if settings.base_pay else ""),
        "pay_per_hour": f"{payment.describe_hourly(roll)}{target}",
        "compensation": f"{roll.pay:,} {settings.currency}".rstrip() + f" in all, {roll.fees:,} platform fees",
    }


_DATA = (
    "each judgement stands in the tables of this report (export report --format csv or parquet), under the rater’s name here"
)


def _people(workers: Sequence[WorkerStats]) -> str:
    real, simulated = (sum(worker.simulated is kind for worker in workers) for kind in (False, True))
    paused = sum(worker.paused is not None for worker in workers)
    revoked = sum(worker.revoked for worker in workers) - paused
    parts = [f"{wording.count(real, 'person')} answered"]
    parts += [f"{simulated:,} simulated"] if simulated else []
    parts += [f"{revoked:,} revoked"] if revoked else []
    parts += [f"{paused:,} paused, as they failed checks"] if paused else []
    return "; ".join(parts)


def _platforms(roll: Payroll) -> str:
    """How people came, as far as they came by links."""
    came = Counter(person.work.platform for person in roll.people if person.work.platform)
    return "; ".join(f"{wording.count(n, 'person')} by a link from {_PLATFORMS[name]}" for name, n in sorted(came.items()))


_PLATFORMS: Final = {"prolific": "Prolific", "mturk": "Mechanical Turk", "participant": "a platform that names participants"}


def _training(workers: Sequence[WorkerStats], pass_mark: float | None) -> str:
    n, right = sum(worker.training for worker in workers), sum(worker.training_right for worker in workers)
    if not n:
        return ""
    mark = f"; {pass_mark:.0%} of a person’s training items to pass" if pass_mark else ""
    return f"training: {_share(right, n)}{mark}"


def _checks(workers: Sequence[WorkerStats], every: int | None) -> str:
    parts = []
    for name in ("gold", "attention"):
        n = sum(getattr(worker, name) for worker in workers)
        if n:
            parts.append(f"{name}: {_share(sum(getattr(worker, f'{name}_right') for worker in workers), n)}")
    return "; ".join([*parts, *([f"one item in {every}"] if parts and every else [])])


def _share(right: int, n: int) -> str:
    return f"{right:,} of {n:,} first answers right ({right / n:.0%})"


def _text(text: str) -> str:
    return f"the campaign’s own: {text.strip()}" if text.strip() else ""


def _time(workers: Sequence[WorkerStats]) -> str:
    medians = [worker.median_seconds for worker in workers if worker.median_seconds is not None]
    total = sum(worker.seconds or 0 for worker in workers)
    if not medians or not total:
        return ""
    each = pd.Series(medians).median()
    return f"{each:z.1f} s of active time an item (the median person’s median); {wording.duration(total)} in all"


def _period(workers: Sequence[WorkerStats]) -> str:
    first = min((worker.first for worker in workers if worker.first), default=None)
    last = max((worker.last for worker in workers if worker.last), default=None)
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}" if first and last else ""
