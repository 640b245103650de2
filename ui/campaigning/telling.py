"""What is said of campaigns, in words, the same on the page and on the command line."""

from __future__ import annotations

from typing import Final

from annotation import quality
from data import campaign
from data.store.campaigns.monitoring import WorkerStats
from ui import words
from ui.campaigning.judging import Blame
from ui.campaigning.making import Plan
from ui.campaigning.watching import Pace

COEFFICIENT: Final = (
    "Krippendorff’s α of each answer beside each answer of somebody else to the same question (1 perfect, 0 as by chance), with"
    " n of these pairs and a 95 % interval by prompt"
)
RULES: Final = (
    "Flags are reasons to look, not verdicts; only failed checks have a consequence.",
    f"Straight-liner (with {quality.FEWEST} answers or more, as speeders): at least {quality.SAME_SHARE:.0%} of a person’s"
    " answers repeat the one before (to an item with the same kinds of questions; texts apart), that is"
    f" {100 * quality.ABOVE_OTHERS:.0f} points or more above how often the others say that very thing of the same items, and"
    f" would come about by chance in fewer than 1 of {1 / quality.CHANCE:,.0f} cases (Johnson 2005; Meade and Craig 2012).",
    f"Answers under {quality.FLOOR:.0f} s: the time from the picture on the screen to the answer is too short to look at it.",
    "Speeder: a person’s median active time is below a third of the campaign’s, the median of all people’s medians (Greszki et"
    " al. 2015; Leiner 2019).",
    "Failed checks: so many gold or attention items were wrong that it would come about by chance, to somebody who stands just"
    f" at the pass mark, in fewer than 1 of {1 / campaign.PAUSE_RISK:,.0f} cases. They are paused, and what they held goes to"
    " others; reinstate them if the checks are at fault.",
    "From one network: a crowd platform sent so many people from the same network. Id used in another browser: somebody came"
    " with their id and without their re-entry code, and was not let in.",
)


def pace(found: Pace) -> str:
    """``12 an hour (n = 30 in 24 h), about 8 h left``."""
    if found.per_hour is None:
        return "no valid answer in the last 24 h"
    told = f"{found.per_hour:.1f} an hour (n = {found.n:,} in the last 24 h)"
    if found.hours_left is None:
        return told
    return f"{told}, about {left(found.hours_left)} left"


def left(hours: float) -> str:
    """A time in the words of an estimate."""
    if hours < 48:
        return words.duration(hours * 3600)
    return words.count(round(hours / 24), "day")


def plan(made: Plan) -> list[str]:
    """What a campaign will be, and how much work."""
    campaign = made.campaign
    ordinary, drawn = made.count("ordinary"), sum(item.sampling == "random" for item in made.items)
    drawn_from = f"{drawn:,} drawn by chance from {made.available:,}"
    chosen = "all that fit" if drawn == ordinary == made.available else f"{drawn_from}, {ordinary - drawn:,} picked by hand"
    lines = [
        f"{words.count(ordinary, made.form.item_kind)} ({chosen}) × {words.count(campaign.overlap, 'person')}"
        f" = {words.count(made.answers, 'answer')}"
    ]
    others = [(made.count(role), role) for role in ("gold", "attention", "training") if made.count(role)]
    if others:
        told = ", ".join(f"{n} {role}" for n, role in others)
        lines.append(f"besides: {told} items, which measure nothing but people")
    if made.with_checks != made.answers:
        lines.append(f"with one check in {campaign.settings.check_every}: {words.count(made.with_checks, 'answer')}")
    lines.append(f"{made.form.name}: {made.form.summary.rstrip('.')}")
    lines.append(work(made))
    if made.pair is not None:
        lines.append(f"pairs of {made.pair[0]} and {made.pair[1]}; the sides are by chance")
    if made.form.name == "tifa_vqa":
        lines.append(f"where the {campaign.overlap} differ, one person more is asked")
    if 0 < drawn < ordinary:
        lines.append("statistics count only what was drawn by chance; what was picked by hand is marked")
    return lines


def work(made: Plan) -> str:
    """Hours of active time, with what they rest on."""
    if made.hours is None:
        return "hours: not known, as nobody has answered this questionnaire here yet (n = 0)"
    rest = f"{made.effort.seconds:.0f} s an answer, the median of {words.count(made.effort.n, 'answer')} here"
    return f"about {words.duration(made.hours * 3600)} of active time in all ({rest})"


def passed(work: WorkerStats) -> str:
    """Right answers to gold and attention items: ``5/6 gold, 1/1 attention``."""
    pairs = (("gold", work.gold_right, work.gold), ("attention", work.attention_right, work.attention))
    return ", ".join(f"{right}/{n} {name}" for name, right, n in pairs if n)


def blamed(one: Blame) -> str:
    """``scorer geneval-paper``."""
    return f"{one.wrong} {one.rater}" if one.rater else one.wrong
