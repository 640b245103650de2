"""``ablate``: have a likelihood scorer score with several steps, seeds and trials, and say what each gives."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from agreement import Options
from agreement.study.cells import ALL
from concord.agreement import selected
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.matching import AblationSetting, Row, ablation_rows
from concord.scoring import score
from data.files import write_whole
from data.store.core.selection import Selection
from data.store.judgements.scorer_evidence import caption_choices
from ui.cli.analysis_tables import aligned_columns, interval_text, number_text


def ablate(
    context: Context,
    scorer: str,
    profile: str,
    trials: str | None,
    steps: str | None,
    seeds: str | None,
    overrides: Sequence[str],
    device: str,
    batch_size: int | None,
    limit: int | None,
    selection: Mapping[str, Sequence[str]],
    plot: str | None,
    intervals: bool,
    output: str,
) -> None:
    """Score what is missing, then the table; ``plot``: an HTML file to write. Of several trials only the most are run, as fewer
    are the first of them."""
    usual = _default_settings(context, scorer, profile, overrides)
    wanted = [_numbers(text, name, usual[name]) for text, name in ((trials, "trials"), (steps, "steps"), (seeds, "seed"))]
    chosen = selected(context, selection)
    # a file that cannot be written is better told before hours of scoring
    target = None if plot is None else context.path(plot)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"--plot {plot}: there is no such folder")
    grid = []
    for of_steps, of_seed in product(wanted[1], wanted[2]):
        settings = [*overrides, f"trials={max(wanted[0])}", f"steps={of_steps}", f"seed={of_seed}"]
        planned = score.plan_scoring(context.store, scorer, profile, parse_overrides(settings))
        score.run(_quiet(context, output), scorer, profile, settings, device, batch_size, limit, selection)
        grid.append(AblationSetting(planned.rater.rater_id, of_steps, of_seed))
    only = replace(chosen, rater=tuple(setting.rater for setting in grid))
    rows = ablation_rows(caption_choices(context.store, only), grid, wanted[0], Options(intervals=intervals))
    if not rows:
        raise CommandError("nothing to compare: no image of this selection has a number for every caption in every trial")
    _print_rows(context, rows, only, output)
    if target is not None:
        write_whole(target, _plot_page(rows).encode())
        context.warn(f"the plot is in {plot}")


def _default_settings(context: Context, scorer: str, profile: str, overrides: Sequence[str]) -> Mapping[str, Any]:
    planned = score.plan_scoring(context.store, scorer, profile, parse_overrides(overrides))
    lacking = [name for name in ("trials", "steps", "seed") if name not in planned.settings]
    if lacking:
        raise UsageError(
            f"{scorer} has no {' and no '.join(lacking)} to vary; likelihood scorers have: selfeval, elbo, flowloss"
        )
    return planned.settings


def _numbers(text: str | None, name: str, usual: Any) -> list[int]:
    if text is None:
        return [int(usual)]
    least = 0 if name == "seed" else 1
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < least or found[-1] > 10**9:
        raise UsageError(f"{name}: {text!r} are no whole numbers of at least {least} with commas between, e.g. 1,5,10")
    return found


def _quiet(context: Context, output: str) -> Context:
    """With JSON on standard output nothing else goes there."""
    return replace(context, out=context.err) if output == "json" else context


def _print_rows(context: Context, rows: Sequence[Row], selection: Selection, output: str) -> None:
    if output == "json":
        document = {"selection": selection.to_dict(), "ablation": list(rows)}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    for suite in dict.fromkeys(row["suite"] for row in rows):
        context.say(f"{suite}: accuracy by trials, steps and seed")
        head = ("images of", "task", "steps", "seed", "trials", "accuracy", "95 % interval", "n", "left out")
        lines = [
            (row["generator"], row["task"], str(row["steps"]), str(row["seed"]), str(row["trials"]),
             number_text(row), interval_text(row), f"{row['n']:,}", f"{row['left_out']:,}" if row["left_out"] else "")
            for row in rows if row["suite"] == suite
        ]  # fmt: skip
        for line in aligned_columns([head, *lines]):
            context.say(f"  {line}")


def _plot_page(rows: Sequence[Row]) -> str:
    """One figure for each suite and generator, of all tasks together, in a page that needs no network."""
    from html import escape

    from ui.pages.matching import by_trials

    parts: list[str] = []
    for suite, generator in dict.fromkeys((row["suite"], row["generator"]) for row in rows):
        mine = [row for row in rows if (row["suite"], row["generator"], row["task"]) == (suite, generator, ALL)]
        drawn = by_trials(mine, None).to_html(full_html=False, include_plotlyjs=not parts)
        parts.append(f"<h2>{escape(suite)}, images of {escape(generator)}</h2>{drawn}")
    style = "body{font:15px system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    head = f'<meta charset="utf-8"><title>Accuracy by trials, steps and seed</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'
