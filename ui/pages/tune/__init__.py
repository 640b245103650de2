"""Tune: what other settings of a scorer would say of the images that it has seen, beside people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from agreement.tuning import Bounded
from concord.common import next_steps, reason_sentences, wording
from concord.error_analysis.tuning import AGAINST, OBJECTIVES, WITH, TunedScorer, tunable_raters, tune_scorer
from concord.open_project import OpenProject
from concord.scope import OpenScope
from data.selection import SIMULATED
from ui.components.dots import interval_text
from ui.pages.agreement_tabs import TUNE, choose_a_scorer, could_be_here, open_tab
from ui.pages.tune.all_numbers import all_numbers
from ui.pages.tune.curve import curve_figure
from ui.pages.tune.flips import flips_section, means_table
from ui.pages.tune.knobs import knobs_form, save_form
from ui.pages.tune.view import KINDS, PARAMETERS, PATH, TuneView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import menu_chip

_KINDS: Final = {"people": "people", "simulated": SIMULATED}


class TunePage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Tune", PATH, PARAMETERS

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place."""
        view = TuneView.read(values)
        tab = open_tab(self.store, TUNE, view.scope, view.of_scope)
        if tab is None:
            yield PlaceDrawing("", _nothing(self.store), "Tune")
            return
        opened = tab.opened
        try:
            tuned = tune_scorer(self.store, opened.scope, view.request())
        except ValueError as error:
            yield PlaceDrawing(tab.bar, [*tab.head, htpy.p(class_="cc-note cc-bad")[wording.sentence(error)]], "Tune")
            return
        if tuned is None:
            yield PlaceDrawing(tab.bar, [*tab.head, _nothing(self.store)], "Tune")
            return
        content = [*tab.head, _lead(tuned, view), _body(self.store, tuned, opened, view)]
        yield PlaceDrawing(tab.bar, content, f"Tune {tuned.rater}")


def _nothing(store: OpenProject) -> Node:
    """Return what the place needs."""
    commands = next_steps.command_lines(store, next_steps.score_command(store, "geneval"))
    return [
        htpy.h1["No scorer here has stored detections to tune"],
        htpy.p(class_="cc-sub")[
            "What a scorer has detected is judged again by other thresholds as often as you move a slider. Score the images"
            " with one that detects objects."
        ],
        choose_a_scorer(commands),
    ]


def _lead(tuned: TunedScorer, view: TuneView) -> Element:
    """Return the sentence, what it rests on, and the buttons; drawn anew as a slider moves."""
    changed = bool(tuned.changed)
    reset = (
        htpy.a(class_="cc-button", href=view.address(settings={}, flips=""))["Reset"]
        if changed
        else htpy.button(type="button", class_="cc-button", disabled=True)["Reset"]
    )
    return htpy.header(class_="cc-lead", data_part="lead")[
        htpy.div[_sentence(tuned), htpy.p(class_="cc-sub")[_about(tuned)]],
        htpy.div(class_="cc-lead-actions")[reset, save_form(tuned)],
    ]


def _sentence(tuned: TunedScorer) -> Element:
    changed = [setting for setting in tuned.settings if setting.changed]
    start = ""
    if len(changed) == 1:
        value = changed[0].value if changed[0].knob.choices else f"{changed[0].value:g}"
        start = f"with {changed[0].knob.title.lower()} at {value}, "
    elif changed:
        start = f"with {len(changed)} settings changed, "
    if tuned.now is None or tuned.now.value is None:
        mean, was = tuned.means["all"], tuned.means_before["all"]
        share = f"calls {_two(mean)} of the images correct" + (f", {_two(was)} before" if _two(mean) != _two(was) else "")
        main = f"{start}{tuned.rater} {share}"
        return htpy.h1[_capital(main) if start else main, htpy.span(class_="cc-rest")[f" {interval_text(mean)}"]]
    title = wording.title(tuned.objective)
    simulated = "By simulated people: " if tuned.people == "simulated" else ""
    was, now = tuned.before or tuned.now, tuned.now
    if not changed:
        main = f"{tuned.rater}’s {title} is {_two(now)} as it was run"
    elif _two(was) == _two(now):
        main = f"{start}{tuned.rater}’s {title} stays at {_two(now)}"
    else:
        verb = "rises" if (now.value or 0) > (was.value or 0) else "falls"
        main = f"{start}{tuned.rater}’s {title} {verb} from {_two(was)} to {_two(now)}"
    level = tuned.level
    people = f", people {wording.two(level.value)}" if level is not None and level.value is not None else ""
    main = main if simulated or not start else _capital(main)
    return htpy.h1[f"{simulated}{main}", htpy.span(class_="cc-rest")[f" {interval_text(now)}{people}"]]


def _capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _two(number: Bounded) -> str:
    return "undefined" if number.value is None else wording.two(number.value)


def _about(tuned: TunedScorer) -> str:
    """Return what the number is worth on other prompts, on how much it rests, and how many verdicts flip."""
    if tuned.people is None:
        return (
            f"Nobody has answered about these {wording.count(tuned.images, 'image')}, so there is nothing to agree with."
            f" {_flips_text(tuned)}"
        ).strip()
    parts = [_held_out(tuned)]
    if tuned.now is not None:
        who = SIMULATED if tuned.people == "simulated" else "people"
        used = tuned.now.used
        parts.append(f"{wording.count(used.ratings, 'answer')} of {who} about {wording.count(used.items, 'image')}.")
    parts.append(_flips_text(tuned))
    return " ".join(filter(None, parts))


def _held_out(tuned: TunedScorer) -> str:
    """Return what the best value of the curve's setting is worth on prompts that had no part in its choice."""
    curve = tuned.curve
    if curve is None:
        return ""
    name, tuning, title = curve.setting.knob.title.lower(), curve.tuned, wording.title(tuned.objective)
    chosen = "Chosen on these images, which is optimistic. " if tuned.changed else ""
    if tuning.best is None or curve.best is None:
        return f"{chosen}No {name} is best, as {reason_sentences.text_or_none(tuning.reason)}."
    low, high = (curve.at[index] for index in tuning.run or (tuning.best, tuning.best))
    good = f"{curve.best:g}" if low == high else f"{curve.best:g} (as good from {low:g} to {high:g})"
    best = tuning.values[tuning.best]
    on_all = "" if best is None else f", {title} {wording.two(best)} on these images"
    if tuning.reason is not None or tuning.out_of_fold is None:
        why = f", as {reason_sentences.text(tuning.reason)}" if tuning.reason is not None else ""
        return f"{chosen}Best {name}: {good}{on_all}; nothing tells its worth on held-out prompts{why}."
    ends = sorted({min(curve.fold_best), max(curve.fold_best)})
    folds = " to ".join(f"{end:g}" for end in ends)
    return (
        f"{chosen}Best {name}: {good}{on_all}; on held-out prompts ({len(curve.fold_best)} folds, which chose {folds})"
        f" {wording.two(tuning.out_of_fold)}."
    )


def _flips_text(tuned: TunedScorer) -> str:
    if not tuned.changed:
        return ""
    n = len(tuned.flips)
    text = f"{wording.count(n, 'verdict')} flip{'s' if n == 1 else ''}"
    if not n or tuned.people is None:
        return f"{text}."
    return f"{text}: {len(tuned.flips_of(WITH)):,} now agree with people, {len(tuned.flips_of(AGAINST)):,} no longer do."


def _body(store: OpenProject, tuned: TunedScorer, opened: OpenScope, view: TuneView) -> Node:
    names = {name: (name, TuneView(opened.asked, name).address()) for name in tunable_raters(store, tuned.suite)}
    return [
        htpy.div(class_="cc-tune")[
            htpy.div(class_="cc-tune-side")[
                htpy.div(class_="cc-part-head")[menu_chip("tune-rater", "Scorer", tuned.rater, names)], knobs_form(tuned, view)
            ],
            htpy.div(class_="cc-tune-main")[
                htpy.section(class_="cc-tune-numbers", data_part="numbers")[
                    htpy.div(class_="cc-part-head")[_curve_head(tuned, view)],
                    htpy.div(class_="cc-tune-two")[
                        htpy.div(class_="cc-panel cc-tuned-curve-panel", tabindex="0", role="group", aria_label="The curve")[
                            _curve(tuned)
                        ],
                        htpy.div(class_="cc-panel")[means_table(tuned, view)],
                    ],
                ],
                htpy.section(class_="cc-part", data_part="flips", aria_label="Verdicts that flip")[
                    flips_section(store, tuned, view)
                ],
            ],
        ],
        htpy.div(data_part="panel")[view.numbers and _numbers_panel(tuned, view)],
        could_be_here(store, tuned.suite),
    ]


def _curve(tuned: TunedScorer) -> Node:
    if tuned.curve is None:
        return htpy.p(class_="cc-note")["Without people’s answers there is no agreement to draw."]
    who = SIMULATED if tuned.people == "simulated" else "people"
    figure = curve_figure(tuned.curve, tuned.level, tuned.objective, who)
    name = tuned.curve.setting.knob.title
    decides = f"{name} decides something in {wording.count(tuned.curve.decides, 'image')} of {tuned.images:,}."
    return [
        figure or htpy.p(class_="cc-note")["No value has a defined agreement."],
        htpy.p(class_="cc-tuned-curve-note")[decides],
    ]


def _curve_head(tuned: TunedScorer, view: TuneView) -> Node:
    along = [
        htpy.a(href=view.address(along=setting.name), aria_current="true" if setting.name == tuned.along else None)[
            setting.knob.title
        ]
        for setting in tuned.settings
        if setting.decides and not setting.knob.choices
    ]
    kinds = {key: (words, view.address(people=key)) for key, words in _KINDS.items() if KINDS[key] in tuned.kinds}
    current = next((key for key, kind in KINDS.items() if kind == tuned.people), "")
    statistics: dict[str, tuple[str, str]] = {
        name: (wording.title(name), view.address(scope=replace(view.scope, statistic="" if name == OBJECTIVES[0] else name)))
        for name in OBJECTIVES
    }
    return [
        htpy.h2[f"{wording.title(tuned.objective)} with {SIMULATED if tuned.people == 'simulated' else 'people'}"],
        htpy.div(class_="cc-part-tools")[
            menu_chip("tune-statistic", "Statistic", tuned.objective, statistics, OBJECTIVES[0]),
            len(kinds) > 1 and menu_chip("tune-people", "Answers of", current, kinds),
            len(along) > 1 and htpy.nav(class_="cc-segments", aria_label="Curve along")[along],
            htpy.a(href=view.address(numbers=True))["All numbers"],
        ],
    ]


def _numbers_panel(tuned: TunedScorer, view: TuneView) -> Node:
    """Return the panel at the right with all numbers as tables."""
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close], all_numbers(tuned)
    ]
