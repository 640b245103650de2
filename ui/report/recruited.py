"""The section on how people were asked: Otani et al.'s fields, with what Concord counted itself beside what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from concord.common import wording
from data import campaign
from data.campaign import NOT_REPORTED, RECRUITMENT_FIELDS
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import WorkerStats
from data.store.core.store import Store
from ui.report.content import Section, Table, texts
from ui.report.material import Material

_WHAT = (
    "How people were found, instructed and paid decides what their answers are worth. The fields are those that Otani et al. "
    "ask of every human evaluation (arXiv 2304.01816): “said” is what whoever ran the campaign wrote, “counted” what Concord "
    f"knows itself. A field of which neither knows anything is {NOT_REPORTED}."
)
_IMPORTED = "ratings that came in files"


@dataclass(frozen=True, slots=True)
class Recruited:
    """One campaign, or all that is of none: what was said by field, and what Concord counted by field."""

    name: str
    said: Mapping[str, str]
    counted: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Field, said, counted; a field of neither is not reported."""
        for name, title in {**{name: field.title for name, field in RECRUITMENT_FIELDS.items()}, **_COUNTED}.items():
            counted = self.counted.get(name, "")
            if name in RECRUITMENT_FIELDS or counted:
                yield title, self.said.get(name, "" if counted else NOT_REPORTED), counted


_COUNTED = {"overlap": "People for each item", "time": "Time", "period": "Period"}
"""What nobody is asked, as Concord counts it."""


def recruited(store: Store, said: pd.DataFrame) -> list[Recruited]:
    """Every campaign of these judgements by people, in order, and what is of none."""
    people = said[said["kind"] == "human"]
    found = [one for name in sorted(people["campaign"].dropna().unique()) if (one := _campaign(store, str(name)))]
    rest = people[people["campaign"].isna()]
    return [*found, *([Recruited(_IMPORTED, {}, _imported(rest))] if len(rest) else [])]


def _imported(rest: pd.DataFrame) -> dict[str, str]:
    slots = rest.loc[rest["identity"] == "slot", "rater"].nunique()
    persons = rest.loc[rest["identity"] != "slot", "rater"].nunique()
    parts = [wording.count(persons, "person")] if persons else []
    parts += [f"{wording.count(slots, 'slot')}, which are nobody in particular"] if slots else []
    return {"workers": "; ".join(parts), "data": _DATA}


def _campaign(store: Store, name: str) -> Recruited | None:
    campaign = management.get(store, name)
    if campaign is None:
        return None
    settings, workers = campaign.settings, monitoring.workers(store, name)
    form = f"Concord’s form, questionnaire {campaign.questionnaire} {campaign.version or ''}".rstrip()
    limit = f", {wording.count(settings.limit, 'item')} a person at most" if settings.limit else ""
    counted = {
        "workers": _people(workers),
        "qualification": _training(workers, settings.pass_mark),
        "interface": f"{form}, {settings.order} order{limit}",
        "instructions": _text(settings.instructions),
        "attention_checks": _checks(workers, settings.check_every),
        "consent": _text(settings.consent),
        "data": _DATA,
        "overlap": str(campaign.overlap),
        "time": _time(workers),
        "period": _period(workers),
    }
    title = campaign.title or name
    heading = name if title == name else f"{title} ({name})"
    return Recruited(heading, management.recruitment_of(store, name), {key: text for key, text in counted.items() if text})


_DATA = (
    "each judgement stands in the tables of this report (export report --format csv or parquet), under the rater’s name here"
)


def _people(workers: Sequence[WorkerStats]) -> str:
    real, simulated = (sum(one.simulated is kind for one in workers) for kind in (False, True))
    paused = sum(one.paused is not None for one in workers)
    revoked = sum(one.revoked for one in workers) - paused
    parts = [f"{wording.count(real, 'person')} answered"]
    parts += [f"{simulated:,} simulated"] if simulated else []
    parts += [f"{revoked:,} revoked"] if revoked else []
    parts += [f"{paused:,} paused, as they failed checks"] if paused else []
    return "; ".join(parts)


def _training(workers: Sequence[WorkerStats], pass_mark: float | None) -> str:
    n, right = sum(one.training for one in workers), sum(one.training_right for one in workers)
    if not n:
        return ""
    mark = f"; {pass_mark:.0%} of a person’s training items to pass" if pass_mark else ""
    return f"training: {_share(right, n)}{mark}"


def _checks(workers: Sequence[WorkerStats], every: int | None) -> str:
    parts = []
    for name in ("gold", "attention"):
        n = sum(getattr(one, name) for one in workers)
        if n:
            parts.append(f"{name}: {_share(sum(getattr(one, f'{name}_right') for one in workers), n)}")
    return "; ".join([*parts, *([f"one item in {every}"] if parts and every else [])])


def _share(right: int, n: int) -> str:
    return f"{right:,} of {n:,} first answers right ({right / n:.0%})"


def _text(text: str) -> str:
    return f"the campaign’s own: {text.strip()}" if text.strip() else ""


def _time(workers: Sequence[WorkerStats]) -> str:
    medians = [one.median_seconds for one in workers if one.median_seconds is not None]
    total = sum(one.seconds or 0 for one in workers)
    if not medians or not total:
        return ""
    each = pd.Series(medians).median()
    return f"{each:.1f} s of active time an item (the median person’s median); {wording.duration(total)} in all"


def _period(workers: Sequence[WorkerStats]) -> str:
    first = min((one.first for one in workers if one.first), default=None)
    last = max((one.last for one in workers if one.last), default=None)
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}" if first and last else ""


def section(material: Material) -> Section | None:
    """How people were asked, campaign by campaign."""
    if not material.recruited:
        return None
    return Section("How people were asked", (_WHAT,), tables=tuple(_table(one) for one in material.recruited))


def _table(one: Recruited) -> Table:
    return texts(f"{one.name[:1].upper()}{one.name[1:]}" if one.name == _IMPORTED else one.name, _HEADINGS, [*one.rows()])


_HEADINGS = ("Field", "Said", "Counted by Concord")


def as_rows(found: Sequence[Recruited]) -> list[dict[str, str | None]]:
    """For machines: one row per campaign and field; what was not said is null."""
    return [
        {
            "campaign": one.name,
            "field": name,
            "title": RECRUITMENT_FIELDS[name].title if name in RECRUITMENT_FIELDS else _COUNTED[name],
            "said": one.said.get(name),
            "counted": one.counted.get(name),
        }
        for one in found
        for name in (*campaign.RECRUITMENT_FIELDS, *_COUNTED)
    ]
