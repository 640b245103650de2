"""Which statistics are shown at a glance, from reports on every scale."""

from __future__ import annotations

import pytest

from agreement import Estimate, Options, build
from concord.common.estimate_table import glance
from tests.agreement.frames import frame, people, scorer

QUICK = Options(intervals=False)
ANSWERS = {"i1": "1 1", "i2": "2 1", "i3": "3 3", "i4": "2 2"}
SAID = {"i1": 1, "i2": 2, "i3": 3, "i4": 1}
ALPHA, INTERVAL = "krippendorff_alpha_ordinal", "krippendorff_alpha_interval"
LABELS = ["percent_agreement", "gwet_ac1"]


def names(rows: list[Estimate]) -> list[str]:
    """The statistics of all tasks and generators, in order."""
    return [row.statistic for row in rows if row.task == row.generator == "all"]


@pytest.mark.parametrize(
    ("scale", "among", "beside"),
    [
        ("nominal", ["fleiss_kappa", *LABELS], ["cohen_kappa", *LABELS]),
        ("ordinal:1-3", [ALPHA, "gwet_ac2", "percent_agreement"], ["cohen_kappa_quadratic", "spearman", "percent_agreement"]),
        ("ordinal:1<2<3", [ALPHA, "gwet_ac2", "percent_agreement"], ["cohen_kappa_quadratic", "spearman", "percent_agreement"]),
        ("interval", ["pearson", "spearman", INTERVAL], ["pearson", "spearman", INTERVAL]),
    ],
)
def test_three_of_each_scale_the_primary_one_first(scale: str, among: list[str], beside: list[str]) -> None:
    rows = people(ANSWERS, aspect="quality") + scorer("m", {item: str(n) for item, n in SAID.items()}, aspect="quality")
    judgements = frame(rows)
    judgements["number"] = judgements["label"].astype(float)
    results = build(judgements, {("s", "quality"): scale}, QUICK)
    for section, wanted in ((results.among_people, among), (results.raters, beside)):
        shown, rest = glance(section)
        assert names(shown) == wanted
        # nothing is lost
        assert sorted(map(id, shown + rest)) == sorted(map(id, section))
        assert names(glance(section, also="mean")[0]) == [*wanted, *(["mean"] if "mean" in names(rest) else [])]


def test_a_score_beside_yes_or_no_has_an_auc_and_a_label_kappa() -> None:
    rows = people({"i1": "y y", "i2": "n y", "i3": "n n", "i4": "y n"})
    rows += scorer("label", dict.fromkeys(SAID, "yes")) + scorer("score", SAID, aspect="score")
    scales = {("s", "correct"): "nominal", ("s", "score"): "interval"}
    shown, _ = glance(build(frame(rows), scales, QUICK).raters)
    by_rater = {name: names([row for row in shown if row.rater == name]) for name in ("label", "score")}
    assert by_rater == {"label": ["cohen_kappa", *LABELS], "score": ["auc", "spearman", "pearson"]}
