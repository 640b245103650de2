"""Trust: which scorers may stand in for people, and what for. A sentence, a row for each rater, a panel of two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import htpy
from htpy import Node

from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.common.people_kinds import why_simulated
from concord.comparison.rater_pairs import rater_matrix
from concord.comparison.trust import Trust, is_huge, trust
from concord.open_project import OpenProject
from concord.scope import ALL, OpenScope, open_scope
from ui.components.addresses import page_address
from ui.pages.add.then import scorers_address
from ui.pages.agreement_tabs import TRUST, agreement_tabs, could_be_here
from ui.pages.results.notices import nothing_yet
from ui.pages.trust.all_numbers import costs_menu, numbers_panel
from ui.pages.trust.matrix import any_two_raters, places_allowed
from ui.pages.trust.panel import chosen_pair, pair_panel
from ui.pages.trust.single_rater import single_rater, single_rater_state
from ui.pages.trust.table import trust_table
from ui.pages.trust.view import PARAMETERS, PATH, TrustView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import scope_bar

_BEGINS: Final = "How far scorers say what people say, and people what other people say, stands here once two have judged."


class TrustPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Trust", PATH, PARAMETERS

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place with point estimates, then with intervals, orders and verdicts; of a huge project the first alone."""
        view = TrustView.read(values)
        opened = open_scope(self.store, view.scope)
        if opened is None:
            yield PlaceDrawing("", nothing_yet(self.store, _BEGINS), "Agreement")
            return
        passes = (False,) if is_huge(self.store) else (False, True)
        for intervals in passes:
            made = trust(
                self.store,
                view.selection(opened),
                opened.scope.task or ALL,
                opened.scope.statistic,
                float(view.epsilon),
                intervals=intervals,
            )
            tabs = agreement_tabs(self.store, TRUST, opened.asked, opened.scope.suite)
            name = "" if view.numbers else single_rater(self.store, made)
            if name:
                yield PlaceDrawing(scope_bar(opened, view.of_scope), [tabs, single_rater_state(made, name)], "Agreement")
                return
            content = [tabs, _sentence(self.store, made, opened, view), _body(self.store, made, view)]
            yield PlaceDrawing(scope_bar(opened, view.of_scope), content, "Agreement", complete=intervals == passes[-1])


def _sentence(store: OpenProject, made: Trust, opened: OpenScope, view: TrustView) -> Node:
    """Return the sentence in two halves, what it rests on, and what restricts it."""
    notes = [htpy.p(class_="cc-note", role="status")[line] for line in opened.lost]
    if view.restriction:
        everything = htpy.a(href=view.address(further=""), data_scope="")["Show all"]
        notes.append(htpy.p(class_="cc-note", role="status")[f"Restricted to {view.restriction}. ", everything])
    label = htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"]
    if made.people is None:
        sub = "Scorers can be compared with each other; how far to trust one is known once people have answered."
        head = [htpy.h1["Nobody has answered: no agreement"], htpy.p(class_="cc-sub")[sub]]
        return [notes, htpy.header(class_="cc-lead")[htpy.div[head], label]]
    plan = htpy.a(href=page_address("people/new"))["Plan them"]
    said = made.sentence
    lines: list[Node] = [f"{line} " for line in said.about]
    if said.more is not None:
        lines.append(plan)
    lead: list[Node] = [
        htpy.h1[said.main or "How far may a scorer be trusted?", said.rest and htpy.span(class_="cc-rest")[said.rest]],
        htpy.p(class_="cc-sub")[lines] if lines else "",
        htpy.p(class_="cc-sub")[_rests_on(made)],
    ]
    if made.people == "simulated":
        judged = max((row.n_items for row in made.rows.among_people if row.people == "real"), default=0)
        lead.append(htpy.p(class_="cc-sub")[why_simulated(judged)])
    if not made.intervals and is_huge(store):
        lead.append(htpy.p(class_="cc-sub")[_without_intervals(store, made)])
    invite = htpy.a(class_="cc-button cc-button--primary", href=page_address("people/new"))["Invite a second person"]
    action: Node = invite if made.persons == 1 else made.people == "simulated" and label
    return [notes, htpy.header(class_="cc-lead")[htpy.div[lead], action]]


def _rests_on(made: Trust) -> str:
    """Return what all numbers rest on, and how far people agree where nobody can take a scorer's place."""
    who = "person" if made.people == "real" else "simulated person"
    persons = wording.count(made.persons, who) if who == "person" else f"{made.persons:,} simulated people"
    prompts = f", {wording.count(made.prompts, 'prompt')}" if made.prompts else ""
    parts = [f"{wording.count(made.answers, 'answer')} of {persons}{prompts}"]
    shared = next(
        (
            row
            for row in made.rows.among_people
            if (row.task, row.people, row.statistic) == (made.task, made.people, "percent_agreement") and row.value is not None
        ),
        None,
    )
    if shared is not None and shared.value is not None:
        parts.append(f"two of them say the same in {wording.percent(round(shared.value, 2))} of cases")
    return f"{'; '.join(parts)}."


def _without_intervals(store: OpenProject, made: Trust) -> str:
    filters = [word for name, found in made.selection.to_dict().items() for value in found for word in (f"--{name}", value)]
    (line,) = next_steps.command_lines(store, (" ".join(["agreement", *filters]),))
    return f"Of so many answers the place shows point estimates; intervals and pairs of raters take minutes: {line}"


def _body(store: OpenProject, made: Trust, view: TrustView) -> Node:
    matrix = rater_matrix(store, made.selection, made.task, made.statistic, made.rows, view.consensus, intervals=made.intervals)
    rater, beside = chosen_pair(made, view, matrix.raters)
    panel = pair_panel(store, made, view, rater, beside)
    table = trust_table(made, view, rater) if made.people is not None or made.scorers else ""
    return [
        htpy.div(class_=["cc-trust", not panel and "is-single"])[
            htpy.div(class_="cc-trust-main")[
                table,
                costs_menu(made, view),
                htpy.div(class_="cc-trust-below")[
                    any_two_raters(matrix, made, view, (rater, beside)), places_allowed(made, view)
                ],
            ],
            panel,
        ],
        _could_be_here(store, made),
        view.numbers and numbers_panel(store, made, view, rater, beside),
    ]


def _could_be_here(store: OpenProject, made: Trust) -> Node:
    """Return one line about what is not here, and how to get it."""
    missing: list[Node] = []
    if made.people != "real":
        missing.append(["people’s answers (", htpy.a(href=at("/annotate/"))["label images"], ")"])
    suite = made.selection.suite[0]
    if not made.scorers:
        missing.append(["scorers (", htpy.a(href=scorers_address())["score the images"], ")"])
        line = [[", " if n else "", part] for n, part in enumerate(missing)]
        return htpy.footer(class_="cc-quietline")[htpy.p["Could be here: ", line, "."]]
    unfit = next_steps.about_unfit((each.name for each in made.scorers), suite)
    return [could_be_here(store, suite, *missing), unfit and htpy.footer(class_="cc-quietline")[htpy.p[unfit]]]
