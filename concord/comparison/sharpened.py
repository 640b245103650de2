"""People's means of generators sharpened by a scorer: prediction-powered estimates, and what they save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from agreement.meta.estimates import EstimateFinding, EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from agreement.study.cells import ALL
from concord.common import live_updates, reason_sentences, wording
from concord.comparison.leaderboard import Leaderboard
from concord.meta.estimates import estimate, estimated
from concord.scope import Scope
from data.store.core.store import Store

Answers = Literal["drawn", "random", "trial"]
State = Literal["sharpened", "nothing", "impossible"]
TRIAL: Final = 40
"""So many answered images count in a trial; the answers about the others are hidden."""


@dataclass(frozen=True, slots=True)
class SharpenOptions:
    """How people's means are sharpened.

    Attributes:
        scorer: whose verdicts are used; empty for the one that is closest to people.
        target: what they hold for: `prompts` for new ones, `these` for these images.
        labels: which answers count: those that a campaign `drawn` by chance gave, all (`random`), or a `trial`.
        method: `ppi`, or `corrected` by how often the scorer says yes where people do.
    """

    scorer: str = ""
    target: Target = "prompts"
    labels: Answers = "drawn"
    method: Method = "ppi"

    @classmethod
    def of(cls, scorer: str, target: str, labels: str, method: str) -> SharpenOptions:
        """Return options by their names; a name that there is not counts as the usual one."""
        return cls(
            scorer,
            cast(Target, target) if target in get_args(Target) else "prompts",
            cast(Answers, labels) if labels in get_args(Answers) else "drawn",
            cast(Method, method) if method in get_args(Method) else "ppi",
        )


@dataclass(frozen=True, slots=True)
class SharpenedMeans:
    """Means of a suite, sharpened by one scorer.

    Attributes:
        scorers: that could sharpen them, by name.
        rows: by generator (or `all`) and task (or `all`).
        state: `nothing` where the numbers stay as they are; `impossible` where no answers count as drawn by chance.
        reason: a sentence about that; where they are sharpened, what is saved.
    """

    scorer: str
    scorers: tuple[str, ...]
    rows: Mapping[tuple[str, str], EstimateFinding]
    state: State
    reason: str


def possible_scorers(store: Store, board: Leaderboard) -> tuple[str, ...]:
    """Return the scorers that can sharpen the board's means, the one that agrees best with people first."""
    known = {scorer for suite, aspect, scorer in estimated(store) if (suite, aspect) == (board.suite, board.aspect)}
    ordered = [each.name for each in board.raters if each.name in known]
    return (*ordered, *sorted(known - set(ordered)))


@live_updates.cached(maxsize=16)
def sharpen(store: Store, scope: Scope, scorer: str, options: SharpenOptions, scorers: tuple[str, ...]) -> SharpenedMeans:
    """Return the sharpened means of a scope by one of its scorers.

    Args:
        store: the open project.
        scope: what `open_scope` found.
        scorer: one of `scorers`.
        options: its scorer is not read.
        scorers: as `possible_scorers` has them.
    """
    wanted = EstimateOptions(
        options.method,
        options.target,
        at_random=options.labels == "random",
        scorers=(scorer,),
        label_sample=TRIAL if options.labels == "trial" else None,
    )
    findings = estimate(store, scope.selection, wanted)
    real = [row for row in findings if row.people == "real"] or findings
    rows = {(row.generator, row.task): row for row in real if row.scorer == scorer and row.against is None}
    task = scope.task or ALL
    whole = rows.get((ALL, task))
    known = [row for (generator, at), row in rows.items() if at == task and generator != ALL and row.value is not None]
    if whole is None or (whole.value is None and not known):
        reason = None if whole is None else reason_sentences.text_or_none(whole.reason)
        return SharpenedMeans(scorer, scorers, rows, "impossible", wording.sentence(reason or "people have answered nothing"))
    about = whole if whole.value is not None else max(known, key=lambda row: row.n_labelled)
    state, reason = _gain(about, scorer)
    return SharpenedMeans(scorer, scorers, rows, state, reason)


def _gain(whole: EstimateFinding, scorer: str) -> tuple[State, str]:
    """Return whether a scorer's verdicts add anything over all images, and that in a sentence."""
    if whole.n_unlabelled == 0:
        return "nothing", (
            f"People have answered about all {wording.count(whole.n_labelled, 'image')}, so {scorer}’s verdicts add nothing:"
            f" these are the same numbers. Sharpening helps where {scorer} has judged images without answers."
        )
    others = wording.count(whole.n_unlabelled, "image")
    if whole.labels_saved is None:
        return "sharpened", f"From people’s answers about {whole.n_labelled:,} images and {scorer}’s verdicts of {others} more."
    saved = round(whole.labels_saved)
    if saved < 1:
        return "nothing", f"No gain yet: {scorer}’s verdicts of {others} without answers tell too little about people’s."
    return "sharpened", (
        f"{scorer}’s verdicts of {others} without answers save about {wording.count(saved, 'answer')}: people alone would have"
        f" to answer about {whole.n_labelled + saved:,} images instead of {whole.n_labelled:,}."
    )
