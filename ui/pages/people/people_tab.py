"""People of a campaign: the table, all numbers of everybody's work, how flags are made, and pass marks of checks."""

from __future__ import annotations

from typing import Final

import htpy
from htpy import Node

from concord.campaigns import managing, progress
from concord.campaigns.annotators import AnnotatorWork
from concord.campaigns.cards import CampaignCard
from concord.campaigns.crowd import Crowd, Person, topic_name
from concord.common import wording
from concord.common.table import Cell, numbers
from concord.open_project import OpenProject
from ui.components.request_fields import field_control
from ui.components.tables import Cells, columns, explained, folded, note, number, plain_table, table_element, when, with_details
from ui.pages.people.acts import act_form
from ui.pages.people.crowd_table import SEARCH_FROM, crowd_table, lines_of, revoking_several, visible_lines
from ui.pages.people.differ import differ_section, severity_table
from ui.pages.people.view import PeopleView
from ui.shell.scope_bar import menu_chip

MARKS: Final = ("gold_pass_mark", "attention_pass_mark")
NOBODY: Final = "No work in this campaign yet. Start it and invite people."
_HINT: Final = (
    "Lowest share of correct checks, corrected for chance. A new mark applies from a person’s next check on, to all their "
    "checks so far. Paused people stay paused until you reinstate them."
)


def people_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:
    """Return everybody who has done something, the rules, and the pass marks."""
    crowd = card.crowd
    if not crowd.people:
        return [htpy.p(class_="cc-part-hint")[NOBODY], _marks(store, card)]
    lines = lines_of([crowd])
    listed = visible_lines(lines, view.find, every=view.every)
    search = len(lines) >= SEARCH_FROM and htpy.form(data_find=view.address(find="", every=False), role="search")[
        htpy.input(
            type="search", name="find", class_="cc-input", value=view.find, placeholder=f"Search {len(lines):,} people",
            aria_label="Search people",
        )
    ]  # fmt: skip
    return [
        htpy.div(class_="cc-part-head")[
            htpy.span(class_="cc-part-hint")[_about(crowd)],
            htpy.div(class_="cc-part-tools")[revoking_several(store, card), search, topic_chip(store, card, view)],
        ],
        crowd_table(listed, [card]) if listed else htpy.p(class_="cc-part-hint")[f"Nobody is called “{view.find}” here."],
        htpy.div(class_="cc-below-table")[
            len(listed) < len(lines) and htpy.a(href=view.address(every=True, find=""))[f"All {len(lines):,} people"],
            htpy.a(href=view.address(numbers=True))["All numbers"],
        ],
        # how people differ takes longest, and comes with the intervals
        crowd.complete and differ_section(store, crowd),
        _marks(store, card),
        folded("How the flags are made", [note(rule) for rule in progress.RULES], "cc-why"),
        view.numbers and _panel(store, crowd, view),
    ]


def _about(crowd: Crowd) -> str:
    if crowd.topic is None:
        return "Nobody has judged anything yet, so there is no agreement to show."
    return f"Agreement is about {wording.aspect(crowd.topic.aspect)} of {crowd.topic.suite}; band: all people of this campaign."


def topic_chip(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:
    """Return the menu of what numbers and cases are about; nothing where there is one topic."""
    known = managing.campaign_topics(store, card.name)
    several = len({topic.suite for topic in known}) > 1
    links = {
        topic_name(each): (
            f"{each.suite}: {wording.plain_aspect(each.aspect)}" if several else wording.plain_aspect(each.aspect),
            view.address(about=topic_name(each), case=""),
        )
        for each in known
    }
    current = topic_name(card.crowd.topic) if card.crowd.topic is not None else ""
    return menu_chip("about", "Question", current, links) if len(links) > 1 else ""


def _panel(store: OpenProject, crowd: Crowd, view: PeopleView) -> Node:
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close], numbers_table(crowd), severity_table(store, crowd)
    ]


def numbers_table(crowd: Crowd) -> Node:
    """Return all numbers of everybody's work as a table."""
    heads = columns(
        "person",
        *numbers("answers", "surplus", "training"),
        "active time",
        *numbers("agreement", "says yes" if crowd.says_yes else "mean"),
        "checks",
        "repeats",
        "last seen",
        "left open",
        "flags",
    )
    rows = [_row(person) for person in crowd.people]
    reasons = [person.agreement for person in crowd.people if person.agreement is not None]
    title = crowd.title or "Answers that were brought in"
    together = crowd.together
    all_of_them = together is not None and together.value is not None and ["All people: ", _cell_text(number(together)), "."]
    return [
        htpy.h3[title],
        note([f"Agreement: {progress.COEFFICIENT}. ", all_of_them or ""]),
        table_element(plain_table(wording.count(len(rows), "person"), heads, rows), "cc-people-numbers"),
        explained(reasons, open_=False),
    ]


def _cell_text(cell: Cell) -> str:
    return " ".join((cell.text, *cell.details))


def _row(person: Person) -> Cells:
    work = person.work
    agreement = person.agreement
    own = Cell("") if agreement is None else with_details(number(agreement), f"n = {agreement.n_ratings:,}")
    mean = Cell("") if person.mean is None else with_details(number(person.mean), f"n = {person.mean.n_items:,}")
    name = Cell(person.name, ("simulated",) if person.simulated else ())
    if work is None:
        return [name, f"{person.answers:,}", "", "", "", own, mean, "", "", "", "", ""]
    worker = work.worker
    reported = f"reported ({worker.reported_share or 0:.0%} of what they dealt with)"
    counts = [(worker.skipped, "skipped"), (worker.reported, reported), (worker.held, "held")]
    training = f"{worker.training_right}/{worker.training} training" if worker.training else ""
    return [
        name,
        f"{worker.valid:,}",
        f"{worker.surplus:,}",
        f"{worker.training:,}",
        _time(work),
        own,
        mean,
        Cell(", ".join(filter(None, (progress.describe_checks(worker), training)))),
        _alike(work),
        Cell("", content=when(worker.last)),
        Cell(", ".join(f"{n:,} {label}" for n, label in counts if n)),
        Cell("; ".join(f"{flag.code}: {flag.sentence}" for flag in work.flags)),
    ]


def _time(work: AnnotatorWork) -> Cell:
    if work.worker.median_seconds is None:
        return Cell("")
    n = work.speed.n if work.speed is not None else 0
    total = f"{wording.duration(work.worker.seconds or 0)} in all, n = {n:,}"
    return Cell(f"{work.worker.median_seconds:z.1f} s", (total,))


def _alike(work: AnnotatorWork) -> Cell:
    """Return how often an answer repeats the one before, and how often the others say that of the same images."""
    sameness = work.sameness
    if sameness is None or sameness.share is None:
        return Cell("")
    others = "others: none" if sameness.others is None else f"others {sameness.others:.0%}"
    return Cell(f"{sameness.share:.0%}", (others, f"n = {sameness.n:,}, longest run {sameness.longest:,}"))


def _marks(store: OpenProject, card: CampaignCard) -> Node:
    settings = card.progress.campaign.settings
    held = [field_control(managing.SettingsForm.field(name), getattr(settings, name)) for name in MARKS]
    changed = managing.logged_changes(store, card.name, MARKS)
    none = settings.check_every is None and note("This campaign has no checks, so nobody is paused.")
    form = act_form(
        "campaign/settings",
        {"campaign": card.name},
        [htpy.div(class_="cc-fields")[held], htpy.button(type="submit", class_="cc-button")["Save the marks"]],
        data_values="",
    )
    return folded(
        "Pass marks of checks",
        [note(_HINT), none, form, htpy.ul(class_="cc-list")[[htpy.li[line] for line in changed]]],
        "cc-why",
    )
