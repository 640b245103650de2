"""The first step of New campaign: what is to be found out, and how many prompts and people that takes."""

from __future__ import annotations

from typing import Final

import htpy
from htpy import Element, Node

from agreement.meta.planning import DIFFERENCE, PlannedRow
from agreement.meta.rater_effects import ABSOLUTE, RELATIVE, SEVERITY, RaterEffectRow
from concord.common import reason_sentences, wording
from concord.common.table import Cell, numbers
from concord.new_campaigns.plan_numbers import PlanNumbers
from concord.new_campaigns.study_plan import (
    LABEL_PEOPLE,
    LEAST_MARGIN,
    MARGIN_STEP,
    MOST_MARGIN,
    PlannedDesign,
    PlanQuery,
    RatedSubject,
    ScorerVerdict,
    StudyPlan,
)
from ui.components.addresses import page_address
from ui.components.tables import Cells, columns, folded, note, plain_table, span, table_element
from ui.pages.new_campaign.curve import curve_figure
from ui.pages.new_campaign.frame import choice, foot_line, footer, segments
from ui.pages.new_campaign.view import WizardView

_GOALS: Final = {
    "mean": ("How good each generator is", "a mean with a margin that is small enough"),
    "difference": ("Which of two generators is better", "a difference that chance does not explain"),
    "scorer": ("Whether a scorer is as good as a person", "an agreement that decides"),
    "label": ("Just label what is there", "skip the plan: all images, 3 people each"),
}
_MARGINS: Final = {
    "mean": "Margin of each generator’s mean (95 %)",
    "difference": "Difference to be found (power 0.8)",
}
_WHY: Final = {
    1: "cheapest, but people’s agreement stays unknown",
    2: "recommended: agreement is measured, too",
    3: "a majority for each image",
    5: "steadier single images",
}


def plan_body(view: WizardView, plan: StudyPlan, numbers_: PlanNumbers | None, *, complete: bool) -> Node:
    """Return the step; not ``complete``: what takes longer is still to come."""
    left = [_goals(view, plan), _margin(view, plan), _subject(view, plan), _basis(view, plan), _pay(plan.asked)]
    if plan.asked.goal == "scorer":
        right: Node = _scorers(view, plan) if complete else note("Computing intervals …")
    else:
        right = [_lead(plan), _figure(plan), _designs(view, plan)]
    numbers_panel = _numbers(numbers_) if numbers_ is not None else None
    return htpy.div(class_="cc-wizard-plan")[htpy.div[left], htpy.div(class_="cc-wizard-main")[right, numbers_panel]]


def plan_footer(view: WizardView, plan: StudyPlan) -> Element:
    """Return the footer of the step; what goes on leads to the images with the plan in the address."""
    chosen = plan.chosen
    work = chosen.work if chosen else None
    following = view.address(step="images", goal=plan.asked.goal, people=plan.asked.people, wage=plan.asked.wage)
    return footer(view, foot_line(work, plan.asked.currency, "Answers, hours and money: known with a plan."), following)


def _goals(view: WizardView, plan: StudyPlan) -> Element:
    cards = []
    undecided = next((each for each in plan.scorers if each.more is not None), None)
    for goal, (title, about) in _GOALS.items():
        step = "images" if goal == "label" else "plan"
        if goal == "scorer" and undecided is not None:
            about = f"{undecided.name} is {undecided.standing}"
        href = view.address(step=step, goal=goal, people=LABEL_PEOPLE if goal == "label" else plan.asked.people)
        cards.append(choice(href, title, about, chosen=goal == plan.asked.goal))
    return _field("What do you want to find out?", cards)


def _field(label: str, content: Node, hint: Node = None) -> Element:
    return htpy.section(class_="cc-wizard-field")[htpy.h2[label], content, hint and htpy.p(class_="cc-wizard-hint")[hint]]


def _margin(view: WizardView, plan: StudyPlan) -> Node:
    """Return the stepper of the margin, in units of people's scale."""
    asked = plan.asked
    if asked.goal not in _MARGINS:
        return None
    sign = "± " if asked.goal == "mean" else ""

    def step(by: float, words: str, sign_: str) -> Element:
        margin = round(asked.margin + by, 4)
        if not LEAST_MARGIN <= margin <= MOST_MARGIN:
            return htpy.span(aria_hidden="true")[sign_]
        return htpy.a(href=view.address(margin=margin, goal=asked.goal), aria_label=words)[sign_]

    stepper = htpy.div(class_="cc-wizard-stepper", role="group", aria_label=_MARGINS[asked.goal])[
        step(-MARGIN_STEP, "smaller", "−"),
        htpy.b(aria_live="polite")[f"{sign}{plan.aim:.2g}"],
        step(MARGIN_STEP, "larger", "+"),
    ]
    scale = "On a scale from 0 to 1." if plan.span == 1 else f"On a scale {plan.span:g} long."
    chosen = plan.chosen
    today = ""
    if chosen is not None and chosen.power is not None:
        today = f" Today’s power is {chosen.power:z.2f}."
    elif chosen is not None and chosen.half_width is not None:
        today = f" Today it is ± {chosen.half_width:.2g} (n = {wording.count(plan.prompts, 'prompt')})."
    return _field(_MARGINS[asked.goal], stepper, scale + today)


def _subject(view: WizardView, plan: StudyPlan) -> Node:
    """Return the choice of what people rate, where there are several."""
    if len(plan.subjects) < 2:
        return None

    def option(subject: RatedSubject) -> Element:
        chosen = (subject.suite, subject.aspect, subject.simulated) == (
            plan.asked.suite,
            plan.asked.aspect,
            plan.asked.simulated,
        )
        href = view.address(
            goal=plan.asked.goal, suite=subject.suite, aspect=subject.aspect, simulated=subject.simulated, scorer=""
        )
        return htpy.option(value=href, selected=chosen)[subject.title]

    select = htpy.select(class_="cc-input", data_go="true", aria_label="What people rate")
    return _field("What people rate", select[[option(subject) for subject in plan.subjects]])


def _basis(view: WizardView, plan: StudyPlan) -> Node:
    """Return the choice of whose ratings the plan rests on."""
    asked = plan.asked
    if asked.goal == "scorer":
        return None
    if not plan.subjects or (plan.typical and not asked.typical):
        return _field(
            "From whom",
            htpy.p[htpy.i(class_="cc-wizard-hollow", aria_hidden="true"), " no data yet: typical variances"],
            "Of published studies of people’s ratings; the plan is your own once two people have answered.",
        )
    people = "simulated people so far" if asked.simulated else "your people so far"
    choices = [
        (view.address(goal=asked.goal, typical=False), people, not asked.typical),
        (view.address(goal=asked.goal, typical=True), "typical studies", asked.typical),
    ]
    return _field("From whom", segments("From whom", choices))


def _pay(asked: PlanQuery) -> Element:
    """Return the fields of the pay an hour, which give the money of each design."""
    wage = htpy.input(
        class_="cc-input", type="text", inputmode="decimal", value=asked.wage, data_address="wage", aria_label="Pay an hour"
    )
    money = htpy.input(
        class_="cc-input", type="text", value=asked.currency, data_address="currency", aria_label="Currency", maxlength="3"
    )
    return _field(
        "Pay an hour", htpy.div(class_="cc-wizard-pay")[wage, money], "Such as 12 EUR; it gives the money of each design."
    )


def _lead(plan: StudyPlan) -> Element:
    if plan.reason:
        return htpy.header(class_="cc-wizard-lead")[htpy.h2["No plan yet"], htpy.p[plan.reason]]
    chosen = plan.chosen
    aim = f"± {plan.aim:.2g}" if plan.asked.goal != "difference" else f"a difference of {plan.aim:.2g}"
    verb = "give" if plan.asked.goal != "difference" else "show"
    if chosen is None or chosen.prompts is None:
        head = f"More than a million prompts would be needed for {aim}"
    else:
        head = f"{wording.count(chosen.prompts, 'prompt')} and {wording.count(chosen.ratings, 'person')} an image {verb} {aim}"
        if plan.available == 0:
            head += ": bring images first"
        elif chosen.new:
            head += f": {wording.count(chosen.new, 'prompt')} more than you have"
        elif chosen.prompts <= plan.prompts and not plan.typical:
            head += ": you have them already"
    basis = "By typical variances of published studies. " if plan.typical else ""
    if plan.asked.simulated and not plan.typical:
        basis = "By simulated people. "
    why = ""
    if plan.shared is not None:
        many = plan.shared > 0.5
        why = (
            "More prompts help more than more people: most of the uncertainty is between prompts."
            if many
            else "More people help as well: most of the uncertainty is between people."
        )
    more = None
    if chosen is not None and chosen.new:
        more = [" ", htpy.a(href=page_address("add"))["Add prompts and images"]]
    return htpy.header(class_="cc-wizard-lead")[htpy.h2[head], htpy.p[basis, why, more]]


def _figure(plan: StudyPlan) -> Node:
    figure = curve_figure(plan)
    return htpy.div(class_="cc-panel cc-wizard-curve", tabindex="0")[figure] if figure is not None else None


def _designs(view: WizardView, plan: StudyPlan) -> Node:
    """Return the designs as a table, of which one is chosen."""
    if not plan.designs:
        return None
    seconds, n = plan.seconds
    time = f"time at {seconds:z.0f} s" + ("" if n else " (assumed)")
    wage = f"at {plan.asked.wage} {plan.asked.currency}/h".replace(" /h", "/h") if plan.asked.wage else "pay"
    is_difference = plan.asked.goal == "difference"
    heads = [
        htpy.th(scope="col")[htpy.span(class_="cc-wizard-unseen")["chosen"]],
        htpy.th(scope="col")["design"],
        htpy.th(scope="col", class_="is-number")["prompts"],
        htpy.th(scope="col", class_="is-number is-more")["new"],
        htpy.th(scope="col", class_="is-number")["answers"],
        htpy.th(scope="col", class_="is-number is-more")[time],
        htpy.th(scope="col", class_="is-number is-more")[wage],
        htpy.th(scope="col", class_="is-number is-more")["power today" if is_difference else "today"],
        htpy.td(class_="is-more"),
    ]
    rows = [_design_row(view, plan, design) for design in plan.designs]
    table = htpy.table(class_="cc-wizard-designs", aria_label="Designs")[htpy.thead[htpy.tr[heads]], htpy.tbody[rows]]
    return htpy.div(class_="cc-panel")[htpy.div(class_="cc-scroll", tabindex="0")[table]]


def _design_row(view: WizardView, plan: StudyPlan, design: PlannedDesign) -> Element:
    chosen = design.ratings == plan.asked.people
    href = view.address(people=design.ratings, goal=plan.asked.goal)
    name = f"{wording.count(design.ratings, 'person')} an image"
    work = design.work
    today = "–" if design.half_width is None else f"± {design.half_width:z.2g}"
    if design.power is not None:
        today = f"{design.power:z.2f}"

    def cell(text: str, more: bool = True) -> Element:
        return htpy.td(class_=["is-number", more and "is-more"])[text]

    return htpy.tr(class_=chosen and "is-chosen")[
        htpy.td[htpy.i(class_="cc-wizard-radio", aria_hidden="true")],
        htpy.th(scope="row")[htpy.a(href=href, aria_current="true" if chosen else None)[name]],
        cell("over a million" if design.prompts is None else f"{design.prompts:,}", more=False),
        cell("–" if design.new is None else f"+{design.new:,}"),
        htpy.td(class_="is-number")[htpy.b[f"{work.answers:,}" if work else "–"]],
        cell(f"{work.hours:z,.1f} h" if work else "–"),
        cell(f"{work.cost:z,.0f} {plan.asked.currency}".rstrip() if work and work.cost is not None else "–"),
        cell(today),
        htpy.td(class_="is-more is-why")[_WHY.get(design.ratings, "")],
    ]


def _scorers(view: WizardView, plan: StudyPlan) -> Node:
    """Return where each scorer stands beside people, and how many prompts would decide."""
    if plan.reason:
        return _lead(plan)
    chosen = next((each for each in plan.scorers if each.name == plan.asked.scorer), None)
    head = f"{chosen.name} is {chosen.standing}" if chosen else "No scorer is undecided"
    design = plan.chosen
    about = "Where a verdict stands, more answers about the same kind of images change it hardly."
    if design is not None and design.prompts is not None:
        about = (
            f"{wording.count(design.prompts, 'prompt')} in all, {wording.count(plan.prompts, 'prompt')} so far,"
            f" {wording.count(design.ratings, 'person')} an image:"
            f" {wording.count(design.new or 0, 'prompt')} more than you have."
        )

    def card(standing: ScorerVerdict) -> Element:
        href = view.address(goal="scorer", scorer=standing.name)
        return choice(href, standing.name, standing.standing, chosen=standing.name == plan.asked.scorer)

    return [htpy.header(class_="cc-wizard-lead")[htpy.h2[head], htpy.p[about]], [card(each) for each in plan.scorers]]


def _numbers(found: PlanNumbers) -> Node:
    """Return the long tables: each design as it is today, and how people differ."""
    designs = _design_table(found.rows)
    parts = [designs, _reliability(found.effects), _severity(found.effects)]
    return folded("All numbers", parts, "cc-wizard-numbers") if any(parts) else None


def _design_table(rows: tuple[PlannedRow, ...]) -> Node:
    means = [row for row in rows if row.statistic != DIFFERENCE and row.half_width is not None]
    if not means:
        return None
    apart = {row.design: row for row in rows if row.statistic == DIFFERENCE}
    identified = any(row.half_width_others is not None for row in means)
    body: list[Cells] = []
    for row in sorted(means, key=lambda each: (each.design.images, each.design.ratings)):
        name = f"{row.design.images:g} × {row.design.ratings:g}{' (as now)' if row is means[0] else ''}"
        cells = [Cell(f"± {row.half_width:z.3f}", (f"{row.prompts:,} prompts",), reason_sentences.text(row.method))]
        cells += [Cell(f"± {row.half_width_others:z.3f}")] if row.half_width_others is not None else []
        needed = [row, apart.get(row.design)] if apart else [row]
        body.append(
            [
                name,
                *cells,
                *("–" if each is None or each.prompts_needed is None else f"{each.prompts_needed:,}" for each in needed),
            ]
        )
    titles = ["today", *(["beside other people"] if identified else [])]
    titles += [f"prompts for ± {means[0].aim:.2g}"]
    titles += [f"prompts to see a difference of {2 * means[0].aim:.2g}"] if apart else []
    heads = columns("images a prompt × people an image", *numbers(*titles))
    return table_element(plain_table("Designs", heads, body))


def _reliability(rows: tuple[RaterEffectRow, ...]) -> Node:
    dependable = [row for row in rows if row.statistic == ABSOLUTE and row.value is not None]
    known = dependable or [row for row in rows if row.statistic == RELATIVE and row.value is not None]
    if not known:
        return note("How reliable ratings are is known once images have two ratings each.")
    kind = "dependability" if dependable else "generalisability"
    body: list[Cells] = [
        [wording.count(row.ratings or 1, "person"), wording.two(row.value or 0.0), span(row.low, row.high)] for row in known
    ]
    caption = f"Reliability of an image’s mean rating (0 to 1, {kind})"
    return table_element(plain_table(caption, columns("people an image", *numbers("reliability", "interval")), body))


def _severity(rows: tuple[RaterEffectRow, ...]) -> Node:
    known = sorted(
        (row for row in rows if row.statistic == SEVERITY and row.value is not None), key=lambda row: row.value or 0.0
    )
    if len(known) < 2:
        return None
    body: list[Cells] = [
        [str(row.rater), f"{row.value:+z.2f}", span(row.low, row.high, "+z.2f"), f"{row.n_items:,}"] for row in known
    ]
    heads = columns("person", *numbers("beside the average person (0)", "interval", "images"))
    return table_element(plain_table("Severity", heads, body))
