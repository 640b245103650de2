"""The folder for ``datasets``: what it loads is what the project holds."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data.store.core.store import Store
from tests.concord.test_exporting import read_csv
from tests.ui.small_project import concord, done, geneval_folder, metadata, query


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    project = folder / "project"
    done(project, "import", "prompts", metadata(folder), "--suite", "geneval")
    done(project, "import", "images", geneval_folder(folder / "sdv2"), "--layout", "geneval", "--generator", "sdv2")
    items = query(project, "select item_id from items order by 1")
    lines = ["suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq"]
    row = "geneval,{0},{1},sdv2,{2},{3},human,person,correct,,nominal,{4},{5}"
    for n, item in enumerate(items):
        prompt = "/".join(item.split("/")[:2])
        task = query(project, f"select task from prompts where prompt_id = '{prompt}'")[0]
        lines += [row.format(prompt, task, item, who, ("yes", "no")[(n + k) % 2], n) for k, who in enumerate(("ann", "=bob"))]
    (folder / "r.csv").write_text("\n".join(lines) + "\n")
    done(project, "import", "ratings", folder / "r.csv")
    return project


def load(folder: Path, config: str, cache: Path) -> Any:
    datasets = pytest.importorskip("datasets", reason="the package `datasets` is not installed")
    return datasets.load_dataset(str(folder), config, split="train", cache_dir=str(cache))


def test_datasets_reads_the_folder(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "mine"
    said = done(world, "export", "datasets", "-o", folder, "--people", "names")
    assert said == f"4 images, 8 judgements, 8 answers in {folder}; fill in the licence in its README.md\n"
    card = (folder / "README.md").read_text()
    assert card.startswith("---\n")
    assert "\nlicense:\n" in card
    images = load(folder, "images", tmp_path / "cache")
    assert images["image_id"][:] == query(world, "select image_id from images order by prompt_id, generator, idx")
    assert images["prompt_text"][:] == [text for text in ("a photo of a cow", "a photo of a red car") for _ in range(2)]
    paths = query(world, "select path from images order by prompt_id, generator, idx")
    for row, path in zip(images, paths, strict=True):
        with Image.open(world / path) as original:
            assert row["image"].size == original.size == (row["width"], row["height"])
            assert row["image"].convert("RGB").tobytes() == original.convert("RGB").tobytes()
    judgements = load(folder, "judgements", tmp_path / "cache")
    done(world, "export", "judgements", "-o", tmp_path / "j.csv")
    parts = read_csv(tmp_path / "j.csv")
    assert [(row["item"], row["rater"], row["label"]) for row in judgements] == [
        (row["item"], row["rater"], row["label"]) for row in parts
    ]
    answers = load(folder, "annotations", tmp_path / "cache")
    assert answers["annotation_id"][:] == query(world, "select annotation_id from annotations order by seq")


def test_shards_are_limited_and_hold_all(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    from data.export import datasets

    monkeypatch.setattr(datasets, "_ROW_GROUP", 1)
    with Store(world) as store:
        from data.selection import Selection
        from data.store.analysis import exports

        folder = tmp_path / "mine"
        folder.mkdir()
        assert datasets.write_images(folder, exports.image_batches(store, Selection()), store.project, 1) == (4, 0)
    files = sorted((folder / "images").iterdir())
    assert [file.name for file in files] == [f"train-{n:05}.parquet" for n in range(4)]
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    assert len({row["image_id"] for row in rows}) == 4
    assert all(Image.open(io.BytesIO(row["image"]["bytes"])).size == (400, 300) for row in rows)


def test_pseudonyms_are_the_default_and_no_folder_is_overwritten(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done(world, "export", "datasets", "-o", folder)
    for file in folder.rglob("*.parquet"):
        assert b"=bob" not in file.read_bytes()
    ran = concord(world, "export", "datasets", "-o", folder)
    assert (ran.status, "exists and is not an empty folder" in ran.err) == (1, True)
    ran = concord(world, "export", "datasets", "-o", tmp_path / "none", "--generator", "nowhere")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        1,
        "export datasets: there is nothing in this selection; nothing was written",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_images_are_written_as_genevals_script_reads_them(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    said = done(world, "export", "images", "-o", folder)
    assert said == f"4 images of 2 prompts in {folder}, a folder for each generator\n"
    places = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    generators = sorted({place.split("/")[0] for place in places})
    samples = [place for place in places if place.endswith(".png")]
    assert len(samples) == 4
    assert all(re.fullmatch(r"[^/]+/0000[01]/samples/0000\d\.png", sample) for sample in samples)
    line = json.loads((folder / generators[0] / "00000" / "metadata.jsonl").read_text())
    assert line == {"tag": "single_object", "include": [{"class": "cow", "count": 1}], "prompt": "a photo of a cow"}
    # what was written is read back as the same pictures of the same prompts
    again = tmp_path / "again"
    done(again, "import", "images", "--layout", "geneval", *(f"{name}={folder / name}" for name in generators))
    texts = "select p.text, i.generator, i.width from images i join prompts p using (prompt_id) order by all"
    assert query(again, texts) == query(world, texts)
    ran = concord(world, "export", "images", "-o", folder)
    assert (ran.status, "exists and is not an empty folder" in ran.err) == (1, True)
