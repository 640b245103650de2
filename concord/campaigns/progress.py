"""Progress of campaigns: coverage, pace, and when they will be done; and what is said of them in words, the same on the page
and on the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from annotation import flags, quality
from concord.campaigns.adjudication import Blame
from concord.campaigns.payment import suggested_price
from concord.campaigns.planning import CampaignPlan
from concord.common import wording
from concord.meta.planning import expected_precision
from data.campaigns import checks
from data.campaigns.pace import FEWEST_QUICK, FEWEST_TIMED, QUICK_SHARE, QUICK_TEXT
from data.campaigns.payment import to_cents
from data.campaigns.settings import Campaign
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import Coverage, Hour, WorkerStats
from data.store.core.store import Store

WINDOW: Final = timedelta(hours=24)
"""How far back the pace looks."""
_SHORTEST: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class AnswerPace:
    """Valid answers of the last 24 hours, and what follows if it goes on like that.

    Attributes:
        n: how many; ``per_hour``: over the time since the first of them, of one hour at least; None for none.
        hours_left: until the answers still wanted are there; None where there is no pace, or nothing is wanted.
    """

    n: int
    per_hour: float | None
    hours_left: float | None


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """A campaign as it stands."""

    campaign: Campaign
    coverage: Coverage
    pace: AnswerPace


def all_progress(store: Store) -> list[CampaignProgress]:
    """All campaigns, the newest first; archived ones last."""
    campaigns = [_progress_of(store, campaign, datetime.now(UTC)) for campaign in reversed(management.listed(store))]
    return sorted(campaigns, key=lambda progress: progress.campaign.state == "archived")


def progress_of(store: Store, campaign_id: str, now: datetime | None = None) -> CampaignProgress | None:
    """One campaign; None if there is none of this name."""
    campaign = management.get(store, campaign_id)
    return None if campaign is None else _progress_of(store, campaign, now or datetime.now(UTC))


def _progress_of(store: Store, campaign: Campaign, now: datetime) -> CampaignProgress:
    coverage = monitoring.coverage(store, campaign.campaign_id, now)
    left = coverage.wanted - coverage.answers
    return CampaignProgress(campaign, coverage, answer_pace(monitoring.answers_by_hour(store, campaign.campaign_id), left, now))


def answer_pace(hours: Sequence[Hour], left: int, now: datetime) -> AnswerPace:
    """The pace of the last 24 hours, from answers by hour; ``left`` more are wanted."""
    recent = [hour for hour in hours if hour.start > now - WINDOW - timedelta(hours=1)]
    n = sum(hour.valid for hour in recent)
    if not n:
        return AnswerPace(0, None, None)
    first = min(hour.start for hour in recent if hour.valid)
    spent = min(max(now - first, _SHORTEST), WINDOW)
    per_hour = n / (spent / timedelta(hours=1))
    return AnswerPace(n, per_hour, left / per_hour if left > 0 else None)


COEFFICIENT: Final = (
    "Krippendorff’s α of each answer beside each answer of somebody else to the same question (1 perfect, 0 as by chance), with"
    " n of these pairs and a 95 % interval by prompt"
)
RULES: Final = (
    "Flags are of three kinds. Failed checks and patterns are preselected when people are revoked together; information is a"
    " reason to look, not a verdict.",
    f"Failed checks: so many gold or attention items were wrong that it would come about by chance, to somebody who stands just"
    f" at the pass mark, in fewer than 1 of {1 / checks.PAUSE_RISK:z,.0f} cases. They are paused, and what they held goes to"
    " others; reinstate them if the checks are at fault.",
    f"Pattern, straight-lining (with {quality.FEWEST} answers or more): at least {quality.SAME_SHARE:.0%} of a person’s"
    " answers repeat the one before (to an item with the same kinds of questions; texts apart), that is"
    f" {100 * quality.ABOVE_OTHERS:z.0f} points or more above how often the others say that very thing of the same items, and"
    f" would come about by chance in fewer than 1 of {1 / quality.CHANCE:z,.0f} cases (Johnson 2005; Meade and Craig 2012).",
    f"Pattern, quick answers: at least {FEWEST_QUICK} and {QUICK_SHARE:.0%} of the answers took less than"
    f" {QUICK_TEXT} from the picture on the screen. Where most did, of {FEWEST_TIMED} or more, the"
    " person is paused.",
    f"Information, by exact tests that together flag an attentive person with a chance of {flags.SOFT_RISK:.0%} at most,"
    " however often you look. Low checks: too many wrong for somebody at the pass marks. Chance agreement: no better than"
    " chance beside most others, and worse than"
    f" {flags.ATTENTIVE_SHARE:.0%} of the median person’s κ. No competence: the same beside a model that weighs people"
    f" (Dawid and Skene). Careless lately: the same over the last {flags.WINDOW} checks and the answers between them.",
    "Information, fast: a person’s median active time is below a third of the campaign’s, the median of all people’s medians"
    " (Greszki et al. 2015; Leiner 2019).",
    "Information, same network: a crowd platform sent so many people from the same network. Another browser: somebody came from"
    " their own network with their id and without their re-entry code. Somebody else’s id: they came with it, or the only"
    " person of their network did, and were not let in; whose id it was has no flag.",
)


@dataclass(frozen=True, slots=True)
class Period:
    """Answers that came in an hour or a day (UTC): those that count, and the others."""

    start: datetime
    valid: int
    others: int


_LONG: Final = timedelta(hours=72)


def periods(store: Store, campaign_id: str) -> tuple[str, list[Period]]:
    """Return `hour` or, of more than three days, `day`, and the answers of each period from the first one on, none left out."""
    hours = monitoring.answers_by_hour(store, campaign_id)
    if not hours:
        return "hour", []
    daily = hours[-1].start - hours[0].start > _LONG
    step = timedelta(days=1) if daily else timedelta(hours=1)
    start = hours[0].start.replace(hour=0, minute=0) if daily else hours[0].start
    found = [Period(start + n * step, 0, 0) for n in range(int((hours[-1].start - start) / step) + 1)]
    for hour in hours:
        n = int((hour.start - start) / step)
        found[n] = Period(found[n].start, found[n].valid + hour.valid, found[n].others + hour.answers - hour.valid)
    return ("day" if daily else "hour"), found


def describe_pace(pace: AnswerPace) -> str:
    """``12 an hour (n = 30 in 24 h), about 8 h left``."""
    if pace.per_hour is None:
        return "no valid answer in the last 24 h"
    text = f"{pace.per_hour:z.1f} an hour (n = {pace.n:,} in the last 24 h)"
    if pace.hours_left is None:
        return text
    return f"{text}, about {describe_time_left(pace.hours_left)} left"


def describe_time_left(hours: float) -> str:
    """A time in the words of an estimate."""
    if hours < 48:
        return wording.duration(hours * 3600)
    return wording.count(round(hours / 24), "day")


def describe_plan(store: Store, made: CampaignPlan) -> list[str]:
    """What a campaign will be, how much work, and how sure its numbers will be."""
    campaign = made.campaign
    ordinary, drawn = made.count("ordinary"), sum(item.sampling != "selected" for item in made.items)
    weighted = any(item.sampling == "weighted" for item in made.items)
    how = "by expected error" if weighted else "by chance"
    drawn_from = f"{drawn:,} drawn {how} from {made.available:,}"
    chosen = "all that fit" if drawn == ordinary == made.available else f"{drawn_from}, {ordinary - drawn:,} picked by hand"
    lines = [
        f"{wording.count(ordinary, made.form.item_kind)} ({chosen}) × {wording.count(campaign.overlap, 'person')}"
        f" = {wording.count(made.answers, 'answer')}"
    ]
    others = [(made.count(role), role) for role in ("gold", "attention", "training") if made.count(role)]
    if others:
        counts = ", ".join(f"{n} {role}" for n, role in others)
        lines.append(f"besides: {counts} images, which measure nothing but people")
    if made.with_checks != made.answers:
        more = wording.count(made.with_checks - made.answers, "answer")
        lines.append(
            f"with about {more} to checks, one in {campaign.settings.check_every}: {wording.count(made.with_checks, 'answer')}"
            " if everybody goes to the end; fewer where somebody stops, as the checks are met on the way"
        )
    lines += describe_finding(made)
    lines.append(f"{made.form.name}: {made.form.summary.rstrip('.')}")
    lines.append(describe_work(made))
    lines += describe_cost(store, made)
    for suite, prompts in made.prompts.items():
        plan = expected_precision(store, suite, campaign.overlap, prompts)
        half_width = plan.half_width_with(prompts) if plan is not None else None
        # where all say the same so far, nothing tells how much more people would differ
        if plan is not None and half_width:
            many = f"{wording.count(prompts, 'prompt')} of {suite}"
            lines.append(f"{many}: a generator's mean ({plan.aspect}) to about ± {half_width:.2g}, by the answers there are")
    if made.unasked:
        lines.append(f"{wording.count(made.unasked, made.form.item_kind)} left out: no questions are known for their prompts")
    if made.pair is not None:
        lines.append(f"pairs of {made.pair[0]} and {made.pair[1]}; the sides are by chance")
    if made.form.name == "tifa_vqa":
        lines.append(f"where the {campaign.overlap} differ, one person more is asked")
    if weighted:
        lines.append("for estimates, which weigh each label by its chance; agreement leaves these labels out")
    elif 0 < drawn < ordinary:
        lines.append("statistics count only what was drawn by chance; what was picked by hand is marked")
    return lines


FEWEST_CHECKS: Final = 10
"""With fewer checks a person somebody who guesses is rarely paused."""


def describe_finding(made: CampaignPlan) -> list[str]:
    """Return what a campaign's checks can find, by the exact rule, with a warning where they are too few."""
    settings, n = made.campaign.settings, made.checks_each
    if not n:
        return []
    who = "each person meets about" if settings.limit is not None else "somebody who answers all images meets"
    most, half = made.pause_chance(0.7), made.pause_chance(0.5)
    lines = [f"{who} {wording.count(n, 'check')}; somebody wrong on 70% is paused with {most:.0%}, on 50% with {half:.0%}"]
    if n < FEWEST_CHECKS:
        lines.append(
            f"warning: {wording.count(n, 'check')} for each person are too few to find who guesses: with more gold images, more"
            f" images for one person, or checks more often it should be {FEWEST_CHECKS} or more"
        )
    return lines


def describe_work(made: CampaignPlan) -> str:
    """Hours of active time, with what they rest on."""
    if made.hours is None:
        return "hours: not known, as nobody has answered this questionnaire here yet (n = 0)"
    rest = f"{made.effort.seconds:z.0f} s an answer, the median of {wording.count(made.effort.n, 'answer')} here"
    return f"about {wording.duration(made.hours * 3600)} of active time in all ({rest})"


def describe_cost(store: Store, made: CampaignPlan) -> list[str]:
    """What it will cost, with what that comes to by the hour, and the price that comes to the target wage."""
    settings, currency, lines = made.campaign.settings, made.campaign.settings.currency, []
    seconds = made.effort.seconds
    if made.cost is not None:
        hourly = ""
        if seconds:
            by_hour = to_cents(settings.pay.price * 3600 / Decimal(repr(seconds)))
            hourly = f"; {by_hour:,} an hour at {seconds:z.0f} s an answer (n = {made.effort.n:,})"
        fee = f", {settings.platform_fee:.0%} fee included" if settings.platform_fee else ""
        lines.append(f"cost: {made.cost:,} {currency}".rstrip() + f" by answers{fee}; training comes on top{hourly}")
    if (price := suggested_price(store, settings, made.form.name)) is not None:
        lines.append(
            f"{settings.target_wage} {currency}".rstrip() + f" an hour is {price[0]} an answer (n = {price[1]:,} answers)"
        )
    if settings.pay.paid:
        how = {"completion": "as at the end", "items": "what their answers are worth, without the base pay"}
        lines.append(f"who finds nothing left because others hold the last images is paid {how[settings.nothing_left]}")
    if made.cost is not None and settings.pay.budget is not None and made.cost > settings.pay.budget:
        lines.append(f"the budget of {settings.budget} is less than that: it stops before every image has enough answers")
    return lines


def describe_checks(work: WorkerStats) -> str:
    """Right answers to gold and attention items: ``5/6 gold, 1/1 attention``."""
    pairs = (("gold", work.gold_right, work.gold), ("attention", work.attention_right, work.attention))
    return ", ".join(f"{right}/{n} {name}" for name, right, n in pairs if n)


def describe_blamed(blame: Blame) -> str:
    """``scorer geneval-paper``, ``people``."""
    return f"{blame.wrong} {blame.rater}" if blame.rater else {"person": "people"}.get(blame.wrong, blame.wrong)


def images_by_answers(store: Store, campaign_id: str) -> dict[int, int]:
    """Return how many images have so many valid answers; what is set aside is left out."""
    return monitoring.items_by_answer_count(store, campaign_id)
