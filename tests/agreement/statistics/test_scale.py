"""Scales: what may be written, what a cell may say."""

from __future__ import annotations

import pytest

from agreement.statistics.scale import Scale, ScaleError, ScaleValue, with_labels


@pytest.mark.parametrize(
    "text",
    ["nominal", "nominal:red|green",
     "interval", "ordinal:1-5", "ordinal:0-5", "ordinal:low<mid<high", "ordinal:disagree<neutral<agree",
     "ordinal:0.5-5:0.5", "ordinal:-2-2", "ordinal:-3--1", "ordinal:-1-1:0.25", "ordinal:0-100:10"],
)  # fmt: skip
def test_a_scale_is_written_as_it_is_read(text: str) -> None:
    assert str(Scale.parse(text)) == text
    assert Scale.parse(str(Scale.parse(text))) == Scale.parse(text)


def test_levels_keep_the_order_in_which_they_are_written() -> None:
    assert Scale.parse("ordinal: low < mid < high").levels == ("low", "mid", "high")
    assert Scale.parse("ordinal:9-11").levels == ("9", "10", "11")
    assert Scale.parse("ordinal:-1-1:0.5").levels == ("-1", "-0.5", "0", "0.5", "1")
    assert str(Scale.parse("ordinal: 1.0 - 5 : 1")) == "ordinal:1-5"


@pytest.mark.parametrize(
    "text",
    ["", "ordinal", "ordinal:", "ordinal:5", "ordinal:5-1", "ordinal:3-3", "ordinal:1--5", "ordinal:1-2-3", "ordinal:a-b",
     "ordinal:low<", "ordinal:<low", "nominal:red|", "nominal:red|red",
     "ordinal:low<mid<low", "ratio", "Nominal!", "ordinal:1-100000",
     "ordinal:0.5-5", "ordinal:1-5:0.3", "ordinal:1-5:0", "ordinal:5-1:-1", "ordinal:0-999:0.001"],
)  # fmt: skip
def test_a_bad_scale_is_refused(text: str) -> None:
    with pytest.raises(ScaleError):
        Scale.parse(text)


def test_cells_of_each_scale() -> None:
    likert, words = Scale.parse("ordinal:1-5"), Scale.parse("ordinal:low<mid<high")
    assert likert.read(" 3 ") == likert.read("3.0") == ScaleValue("3", 3.0)
    assert words.read("high") == ScaleValue("high", 3.0)
    stars = Scale.parse("ordinal:0.5-5:0.5")
    assert stars.read("3.50") == ScaleValue("3.5", 3.5)
    assert stars.read("3.0") == ScaleValue("3", 3.0)
    assert Scale.parse("ordinal:-2-2").read("-2") == ScaleValue("-2", -2.0)
    assert Scale.parse("ordinal:-2-2").read("-0.0") == ScaleValue("0", 0.0)
    assert Scale.parse("interval").read("-1.5e3") == ScaleValue(None, -1500.0)
    nominal = Scale.parse("nominal")
    assert [nominal.read(t).number for t in ("yes", "No", "TRUE", "false", "1", "0", "both")] == [1, 0, 1, 0, 1, 0, None]
    assert nominal.read(" both ").label == "both"


@pytest.mark.parametrize(
    ("scale", "cell"),
    [("ordinal:1-5", "6"), ("ordinal:1-5", "2.5"), ("ordinal:0.5-5:0.5", "2.25"),
     ("ordinal:1-5", "nan"), ("ordinal:1-5", "inf"), ("ordinal:1-5", "good"),
     ("ordinal:low<high", "Low"), ("interval", "inf"), ("interval", "nan"), ("interval", "x"), ("nominal", " "),
     ("nominal:red|green", "Red")],
)  # fmt: skip
def test_a_value_off_its_scale_is_refused_with_what_was_expected(scale: str, cell: str) -> None:
    with pytest.raises(ScaleError, match=r"expects|empty"):
        Scale.parse(scale).read(cell)


def test_a_nominal_scale_has_the_labels_that_are_used_unless_it_names_its_own() -> None:
    assert with_labels("nominal", ["green", "red"]) == "nominal:green|red"
    assert with_labels("nominal:red|green|blue", ["red"]) == "nominal:red|green|blue"
    # yes and no are known without, and may stand for themselves
    assert with_labels("nominal", ["Yes", "no"]) == with_labels("nominal", []) == with_labels("nominal", ["a|b"]) == "nominal"
    assert with_labels("ordinal:1-5", ["1"]) == "ordinal:1-5"
