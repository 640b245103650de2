"""Co-occurrence in annotation files: counted by hand, and by a plain restatement on random files."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.formats import cooccurrence
from data.formats.cooccurrence import read_cooccurrence

CATEGORIES = [{"id": 17, "name": "cat"}, {"id": 18, "name": "dog"}, {"id": 74, "name": "mouse"}, {"id": 90, "name": "zebra"}]


def instances(path: Path, held: dict[Any, list[Any]], categories: Any = CATEGORIES, **more: Any) -> Path:
    """A file in which these images hold these categories."""
    annotations = [
        {"id": n, "image_id": image, "category_id": entry} for image, some in held.items() for n, entry in enumerate(some)
    ]
    content = {"info": {"year": 2017}, "images": [], "annotations": annotations, "categories": categories, **more}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_counts_by_hand(tmp_path: Path) -> None:
    # two cats are a cat; image 4 has an annotation and so counts; the file's images that have none do not
    held = {1: [17, 18], 2: [17, 17, 18, 74], 3: [17], 4: [74]}
    read = read_cooccurrence(instances(tmp_path / "f.json", held, images=[{"id": k} for k in range(9)]), "val")
    found = read.found
    assert (found.name, found.images, read.left) == ("val", 4, ())
    assert found.together == {
        ("cat", "cat"): 3, ("dog", "dog"): 2, ("mouse", "mouse"): 2, ("zebra", "zebra"): 0,
        ("cat", "dog"): 2, ("cat", "mouse"): 1, ("dog", "mouse"): 1,
    }  # fmt: skip
    assert found.share("cat", "dog") == found.share("dog", "cat") == 2 / 4
    # GenEval calls it a computer mouse
    assert found.share("computer mouse", "cat") == 1 / 4
    # there, but never together; and not there at all
    assert found.share("cat", "zebra") == 0
    assert found.share("cat", "unicorn") is None
    assert (found.knows("zebra"), found.knows("unicorn")) == (True, False)


def test_counts_equal_those_of_plain_sets(tmp_path: Path) -> None:
    rng = random.Random(3)
    for k in range(20):
        names = [f"class {n}" for n in range(rng.randint(2, 9))]
        categories = [{"id": 3 * n + 1, "name": name} for n, name in enumerate(names)]
        held = {
            f"image {n}": rng.choices(range(1, 3 * len(names) + 1, 3), k=rng.randint(1, 7)) for n in range(rng.randint(1, 40))
        }
        found = read_cooccurrence(instances(tmp_path / f"{k}.json", held, categories), "x").found
        expected: dict[tuple[str, str], int] = defaultdict(int)
        for some in held.values():
            here = sorted({names[(category - 1) // 3] for category in some})
            for pair in [*combinations(here, 2), *((name, name) for name in here)]:
                expected[pair] += 1
        assert {pair: n for pair, n in found.together.items() if n} == expected
        assert found.images == len(held)


def test_classes_with_the_same_name_are_merged_and_geneval_names_are_cocos(tmp_path: Path) -> None:
    categories = [{"id": 1, "name": "computer mouse"}, {"id": 2, "name": " mouse "}, {"id": 3, "name": "Kätzchen <b>"}]
    found = read_cooccurrence(instances(tmp_path / "f.json", {1: [1, 2, 3], 2: [2]}, categories), "x").found
    assert found.together == {("mouse", "mouse"): 2, ("Kätzchen <b>", "Kätzchen <b>"): 1, ("Kätzchen <b>", "mouse"): 1}


def test_the_order_in_the_file_does_not_matter(tmp_path: Path) -> None:
    path = instances(tmp_path / "f.json", {1: [17, 18], 2: [18]})
    content = json.loads(path.read_text())
    (tmp_path / "g.json").write_text(json.dumps(dict(reversed(content.items()))))
    one, other = (read_cooccurrence(tmp_path / name, "x").found for name in ("f.json", "g.json"))
    assert (one.images, dict(one.together)) == (other.images, dict(other.together))


def test_invalid_entries_are_left_out_and_reported(tmp_path: Path) -> None:
    path = instances(tmp_path / "f.json", {1: [17, 18], 2: [17, 99, 99], 3: [99], None: [17], 4: [float("nan")]})
    content = json.loads(path.read_text())
    content["annotations"] += [None, 7, {"image_id": True, "category_id": 17}, {"image_id": [1], "category_id": 17}]
    content["categories"] += [{"id": 5}, {"id": 6, "name": "a\u0000b"}, {"id": 17, "name": "dog"}, {"id": 17, "name": "cat"}]
    path.write_text(json.dumps(content))
    read = read_cooccurrence(path, "x")
    assert read.left == (
        "an annotation without an image_id or a category_id (6 times)",
        "a category without an id or a name that can be used, such as {'id': 5}",
        "a category without an id or a name that can be used, such as {'id': 6, 'name': 'a\\x00b'}",
        "a category whose id 17 is that of 'cat', too",
        "annotations of category 99, which is not among the categories",
    )
    # image 3 has no annotation of a class that is known
    assert (read.found.images, read.found.share("cat", "dog")) == (2, 1 / 2)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"images": [], "annotations": [{"image_id": 1, "caption": "a cat"}]}, "names no category (captions have none)"),
        ({"annotations": [], "categories": []}, "has an empty 'categories'"),
        ({"info": {}, "images": [{"id": 1}], "categories": CATEGORIES}, "has no 'annotations', so it is no annotation file"),
        ({"annotations": {"1": []}, "categories": CATEGORIES}, "'annotations' is {'1': []}, a list expected"),
        ({"annotations": [], "categories": CATEGORIES[:1]}, "names one class only"),
        ({"annotations": [], "categories": CATEGORIES}, "holds no annotation of a class that it names"),
        ([CATEGORIES], "not JSON ('{' expected"),
    ],
)
def test_other_files_are_refused_in_a_line(tmp_path: Path, content: Any, why: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_cooccurrence(path, "x")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_class_for_every_annotation_is_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cooccurrence, "MAX_CLASSES", 3)
    with pytest.raises(InputError, match="has more than 3 classes"):
        read_cooccurrence(instances(tmp_path / "f.json", {1: [1, 2, 3, 4]}), "x")
