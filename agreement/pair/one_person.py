"""Each person beside the others: one coefficient for everybody, whatever the scale, so that who stands apart is seen.

A person's answer meets each answer of somebody else about the same unit (as a scorer's meets people's), and the coefficient is
Krippendorff's alpha of these pairs: nominal, ordinal or interval, as the scale is. Persons and imitations stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from agreement.pair.rater_pair import PEOPLE, Estimate, encounters
from agreement.study.cells import EVERYWHERE, Options, cell_of
from agreement.study.frame import Suite, read

STATISTICS = {
    "nominal": "krippendorff_alpha_nominal",
    "ordinal": "krippendorff_alpha_ordinal",
    "interval": "krippendorff_alpha_interval",
}
"""The coefficient by the kind of scale."""
ALONE = "nobody else has judged this"


def each_person(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], suite: str, aspect: str, options: Options | None = None
) -> dict[str, Estimate]:
    """Every identified person who judged an aspect, by name, with the others; simulated ones with their like.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        suite: of which suite's items.
        aspect: what they judged.
        options: `intervals` alone counts.

    Raises:
        ValueError: as `build`.
    """
    wanted = replace(options or Options(), statistics=None, by_target=False, people_as=None)
    rows = frame[(frame["suite"] == suite) & (frame["aspect"] == aspect)]
    return {name: found for one in read(rows, scales) for name, found in _of_suite(one, aspect, wanted).items()}


def _of_suite(suite: Suite, aspect: str, options: Options) -> dict[str, Estimate]:
    (kind,) = {each.measure.kind for each in suite.aspects if each.name == aspect}
    cell, statistic = cell_of(suite, EVERYWHERE, options), STATISTICS[kind]
    found: dict[str, Estimate] = {}
    for rater in suite.raters:
        if rater.scorer or not rater.person:
            continue
        met = next(encounters(suite, rater.name, PEOPLE, options, simulated=rater.simulated), None)
        if met is None:
            found[rater.name] = Estimate(statistic, None, None, None, 0, 0, {}, ALONE, "")
        else:
            found[rater.name] = met.estimates(cell, (statistic,))[0]
    return found
