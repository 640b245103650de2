"""Sample failures: images on which a scorer and people part ways, in both directions, drawn by chance."""

from __future__ import annotations

from concord.reporting.material import Material
from concord.reporting.samples import _ASPECT, EACH
from ui.report.sections import ReportSection

_LEAD = (
    "Images on which a scorer and most people say the opposite of each other about “correct” (all that the prompt asks is "
    "there), in both directions: at most {each} of each scorer and direction, drawn by chance (seed {seed}) from all there "
    "are, {n} shown. The boxes are what the scorer’s rules looked at. These show what goes wrong, not how often: that is in "
    "the tables."
)
_SPLIT = (
    "No scorer said yes or no here. These are images on which people are of two minds about “correct”: at most {most}, drawn "
    "by chance (seed {seed}) from all on which they differ, {n} shown."
)


def samples_section(material: Material) -> ReportSection | None:
    """The failures."""
    if not material.samples:
        return None
    n, seed = len(material.samples), material.options.seed
    split = not (material.ratings.kind.eq("scorer") & material.ratings.aspect.eq(_ASPECT)).any()
    lead = _SPLIT.format(most=2 * EACH, seed=seed, n=n) if split else _LEAD.format(each=EACH, seed=seed, n=n)
    return ReportSection("Sample failures", (lead,), samples=tuple(material.samples))
