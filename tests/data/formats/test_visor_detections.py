"""VISOR's detection files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.formats.evidence import read_case
from data.formats.official_results import entry_of, format_entry, generator_of, is_detections, key_of, read_entries, read_entry
from data.jobs.runs import Detection

# the example of VISOR's own README
KITE = {
    "classes": ["kite"],
    "centroid": [[170.64540100097656, 135.6916046142578]],
    "recall": 1,
    "sra": 0,
    "text": "a kite to the right of a bicycle",
}
EVIDENCE = {
    "id": "x",
    "prompt_id": "sr2d/01103",
    "generator": "g",
    "spec": {"a": "kite", "b": "bicycle", "relation": "right"},
    "detections": [
        {"label": "bicycle", "score": 0.3, "box": [0, 0, 10, 20]},
        {"label": "kite", "score": 0.2, "box": [20, 0, 31, 20]},
        {"label": "kite", "score": 0.9, "box": [2, 0, 4, 4]},
    ],
}


def test_an_entry_is_read_with_what_its_prompt_asks() -> None:
    entry = read_entry("1103_0", KITE, "sd")
    case = entry.case
    assert (case.id, case.prompt_id, case.generator, entry.sra) == ("1103_0", "1103", "sd", False)
    assert case.asked == {"a": "kite", "b": "bicycle", "relation": "right"}
    x, y = 170.64540100097656, 135.6916046142578
    assert case.seen.detections == (Detection("kite", 1.0, (x, y, x, y)),)


@pytest.mark.parametrize(
    ("key", "changed", "why"),
    [
        ("1103", {}, "key '1103', <prompt id>_<number> expected"),
        ("31680_0", {}, "SR2D has no prompt 31680"),
        ("1104_0", {}, "has the text 'a kite to the right of a bicycle', but SR2D's prompt 1104 is"),
        ("1103_0", {"classes": ["kite", "kite"]}, "the lists 'classes' and 'centroid' must be of one length"),
        ("1103_0", {"centroid": [[1]]}, r"'centroid\[0\]\[1\]' is missing"),
        ("1103_0", {"centroid": [[1, None]]}, "is None, a number expected"),
        ("1103_0", {"sra": 0.5}, "'1103_0': 'sra' is 0.5, one of 0, 1"),
        ("1103_0", {"text": 3}, "'text' is 3, a text expected"),
    ],
)
def test_an_invalid_entry_says_why(key: str, changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_entry(key, KITE | changed, "sd")
    with pytest.raises(ValueError, match="found 3, an object expected"):
        read_entry("1103_0", 3, "sd")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps({"1103_0": KITE}), True),
        (json.dumps({"1103_0": KITE}, indent=2), True),
        ("\ufeff\n" + json.dumps({"1103_0": KITE}, indent=2), True),
        ('{"1103_0": {"classes"', True),  # damaged, but one of these
        (json.dumps(EVIDENCE), False),
        ('{"id": "x", "spec"', False),
        ("{}", False),
        ("", False),
        ("nonsense", False),
    ],
)
def test_a_file_is_known_by_its_beginning(tmp_path: Path, content: str, expected: bool) -> None:
    path = tmp_path / "some.json"
    path.write_text(content, encoding="utf-8")
    assert is_detections(path) is expected


def test_entries_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text('{\n"1103_0": {},\n"1103_1": {}}')
    assert list(read_entries(path)) == [(2, "1103_0", {}), (3, "1103_1", {})]


@pytest.mark.parametrize(
    ("name", "generator"),
    [
        ("results_dallev2_text_spatial_rel_phrases_owlvit_0.1.json", "dallev2"),
        ("results_glide_cdm_text_spatial_rel_phrases_owlvit_0.1.json", "glide_cdm"),
        ("results.json", None),
    ],
)
def test_a_files_name_says_whose_images_they_are(name: str, generator: str | None) -> None:
    assert generator_of(Path(name)) == generator


def test_an_entry_is_written_as_the_notebook_does() -> None:
    case = read_case(EVIDENCE)
    entry = entry_of(case, {"kite": [1, 2], "bicycle": [0]}, True)
    assert entry == {
        "classes": ["kite", "kite", "bicycle"],
        "centroid": [[25.5, 10.0], [3.0, 2.0], [5.0, 10.0]],
        "recall": 2,
        "sra": 1,
        "text": "a kite to the right of a bicycle",
    }
    key = key_of(case, {"1103": 2})
    assert key == "1103_2"
    read = read_entry(key, json.loads("{" + format_entry(key, entry) + "}")[key], "g")
    assert read.sra is True
    assert [detection.label for detection in read.case.seen.detections] == ["kite", "kite", "bicycle"]
    assert entry_of(case, {"kite": [], "bicycle": [0]}, False)["recall"] == 1


@pytest.mark.parametrize(
    ("changed", "key"),
    [({"id": "1103_7"}, "1103_7"), ({"prompt_id": 1103}, "1103_0"), ({"prompt_id": "01103"}, "1103_0")],
)
def test_images_are_named_by_their_ids_or_in_order(changed: dict[str, Any], key: str) -> None:
    assert key_of(read_case(EVIDENCE | changed), {}) == key


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"prompt_id": "mine"}, "'prompt_id' is 'mine'; VISOR names images by the number"),
        ({"prompt_id": None}, "'prompt_id' is None"),
        ({"prompt_id": 1104}, "something else than SR2D's prompt 1104"),
        ({"id": "1102_0"}, "something else than SR2D's prompt 1102"),
        ({"prompt_id": 99999}, "SR2D has no prompt 99999"),
    ],
)
def test_prompts_that_are_not_sr2ds_are_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        key_of(read_case(EVIDENCE | changed), {})
