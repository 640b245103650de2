"""Imports through the command line, down to the numbers: a small study's agreement is computed by hand here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.ui.small_project import (
    RATINGS,
    agreement,
    concord,
    done,
    geneval_csv,
    geneval_folder,
    geneval_row,
    metadata,
    png,
    query,
    ratings_csv,
    tables,
)

TIFA_TEXTS = Path(__file__).resolve().parents[4] / "shared" / "studies" / "tifa" / "tifa_v1.0_text_inputs.json"


def value(rows: list[dict[str, Any]], **where: Any) -> float | None:
    wanted = {"task": "all", "generator": "all", "target": None} | where
    (row,) = [row for row in rows if all(row[key] == wanted[key] for key in wanted)]
    number: float | None = row["value"]
    return number


def geneval_study(folder: Path) -> list[object]:
    """Image 0 has the votes yes, yes, no for `correct`; image 1 has yes, no."""
    table = geneval_csv(
        folder / "sdv2.csv",
        geneval_row(0, 0, count_0="1.0", color_0="black", real_0="3.0", objects="1.cow\r2.grass"),
        geneval_row(0, 1, count_0="1", color_0="black", real_0="2", objects="cow"),
        # stale: the count went back to 0, the colour and the realism stayed
        geneval_row(0, 0, count_0="0", color_0="black", real_0="1", objects="none"),
        geneval_row(0, 0, count_0="2", color_0="white|gray", real_0="2", objects="cows"),
        geneval_row(0, 1, count_0="0.0", objects="none"),
    )
    return ["import", "study", "geneval", "--metadata", metadata(folder), f"sdv2={table}"]


def test_geneval_by_hand(project: Path, tmp_path: Path) -> None:
    assert "5 annotations, 2 images" in done(project, *geneval_study(tmp_path))
    rows = agreement(project, "--suite", "geneval")["among_people"]
    correct = {name: value(rows, aspect="correct", statistic=name) for name in ("mean", "percent_agreement", "unanimous_share")}
    # of each image: 2 of 3 yes, 1 of 2; agreeing pairs: 1 of 3, 0 of 1
    expected = {"mean": (2 / 3 + 1 / 2) / 2, "percent_agreement": 1 / 6, "unanimous_share": 0}
    assert correct == pytest.approx(expected)
    # coincidences: yes-yes 1, yes-no 2 + 2; so observed 4/5 against expected 2 * 3 * 2 / (5 * 4) = 3/5
    assert value(rows, aspect="correct", statistic="krippendorff_alpha_nominal") == pytest.approx(1 - (4 / 5) / (3 / 5))
    # counts are 1, 0, 2 and 1, 0: stale realism of what is not there does not count: 3, 2 and 2 remain
    assert value(rows, aspect="count", statistic="mean") == pytest.approx((3 / 3 + 1 / 2) / 2)
    assert value(rows, aspect="realism", statistic="mean") == pytest.approx(((3 + 2) / 2 + 2) / 2)
    assert query(project, "select distinct identity from raters") == ["slot"]
    assert query(project, "select answers->>'objects' from annotations where answers->>'objects' like '%grass'") == [
        "1.cow\r2.grass"
    ]


def tifa_study(folder: Path) -> list[object]:
    entries = {
        f"coco_{n}_sd": {
            "text_id": f"coco_{n}", "text": f"text {n}", "image_path": "x", "human_scores": scores,
            "human_avg": sum(scores) / len(scores), "metric": score,
        }
        for n, (scores, score) in enumerate([([5, 4], 0.9), ([2, 2], 0.2), ([3], 0.1), ([1, 1], None)])
    }  # fmt: skip
    path = folder / "human.json"
    path.write_text(json.dumps(entries))
    return ["import", "study", "tifa", path]


def test_tifa_by_hand(project: Path, tmp_path: Path) -> None:
    ran = concord(project, *tifa_study(tmp_path))
    assert (ran.status, ran.err) == (0, "metric: 1 images have no value\n")
    results = agreement(project)
    assert value(results["among_people"], aspect="faithfulness", statistic="mean") == pytest.approx((4.5 + 2 + 3 + 1) / 4)
    assert value(results["among_people"], aspect="faithfulness", statistic="percent_agreement") == pytest.approx(2 / 3)
    # people's means 4.5, 2, 3 have the ranks 3, 1, 2, the metric's values 3, 2, 1
    against = {s: value(results["raters"], rater="metric", statistic=s) for s in ("spearman", "kendall_tau_b")}
    assert against == {"spearman": pytest.approx(0.5), "kendall_tau_b": pytest.approx(1 / 3)}


def test_a_study_again_is_nothing_and_undone_is_as_before(project: Path, tmp_path: Path) -> None:
    done(project, *tifa_study(tmp_path))
    before = tables(project)
    done(project, *geneval_study(tmp_path))
    with_both = tables(project)
    assert "imported before as import 2" in done(project, *geneval_study(tmp_path))
    assert tables(project) == with_both != before
    done(project, "import", "undo", 2)
    assert tables(project) == before
    done(project, *geneval_study(tmp_path))
    assert len(tables(project)["judgements"]) == len(with_both["judgements"])
    assert concord(project, "import", "undo", 2).err == "import undo: import 2 has been undone already\n"


def test_rebuild_after_a_study_whose_prompts_were_there_with_another_spec(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"prompt": "a photo of a cow"}\n')
    done(project, "import", "prompts", tmp_path / "mine.jsonl", "--suite", "geneval")
    done(project, *geneval_study(tmp_path))
    before = tables(project)
    done(project, "rebuild")
    assert tables(project) == before


def test_geneval_images(project: Path, tmp_path: Path) -> None:
    folder = geneval_folder(tmp_path / "sdv2")
    (folder / "README.md").write_text("not an image")
    words = ["import", "images", folder, "--layout", "geneval", "--generator", "sdv2"]
    ran = concord(project, *words)
    assert ran.status == 0
    assert ran.out.startswith("4 images of 2 prompts, 1 skipped (import 1;")
    assert "README.md" in ran.err
    assert concord(project, *words).out == "nothing to do: this was imported before, as import 1\n"
    assert query(project, "select task from items order by item_id") == ["single_object"] * 2 + ["colors"] * 2


def test_a_damaged_image_is_reported_the_rest_imported_and_the_job_not_done(project: Path, tmp_path: Path) -> None:
    folder = geneval_folder(tmp_path / "sdv2")
    broken = folder / "00001" / "samples" / "0001.png"
    broken.write_bytes(broken.read_bytes()[:100])
    ran = concord(project, "import", "images", folder, "--layout", "geneval", "--generator", "sdv2")
    assert ran.status == 1
    assert f"skipped: {broken}: " in ran.err
    assert ran.err.endswith("import images: 1 skipped (see above); the rest is imported\n")
    assert len(query(project, "select * from images where sha256 is not null")) == 3


def test_visor_and_csv_images(project: Path, tmp_path: Path) -> None:
    for name in ("10811_0.png", "10811_1.png", "99999_0.png"):
        png(tmp_path / "visor" / name)
    ran = concord(project, "import", "images", tmp_path / "visor", "--layout", "visor", "--generator", "sd")
    assert (ran.status, ran.out[:22]) == (1, "2 images of 1 prompts,")
    assert "99999_0.png: SR2D has no prompt 99999" in ran.err
    png(tmp_path / "csv" / "a.png")
    png(tmp_path / "csv" / "b.png")
    lines = "path,prompt,generator\na.png,a cat,one\nb.png,a cat,two\nc.png,a cat,two\n"
    (tmp_path / "csv" / "images.csv").write_text(lines)
    ran = concord(project, "import", "images", tmp_path / "csv", "--layout", "csv")
    assert (ran.status, ran.out[:22]) == (1, "2 images of 1 prompts,")
    assert "images.csv:4: no such file" in ran.err
    assert query(project, "select item_id from items order by 1") == [
        "images/00000/one/0", "images/00000/two/0", "sr2d/10811/sd/0", "sr2d/10811/sd/1",
    ]  # fmt: skip


def test_several_generators_by_one_command(project: Path, tmp_path: Path) -> None:
    for n, name in enumerate(("one", "two")):
        png(tmp_path / name / "10811_0.png", ("red", "blue")[n])
    folders = [f"{name}={tmp_path / name}" for name in ("one", "two")]
    done(project, "import", "images", *folders, "--layout", "visor")
    assert query(project, "select generator from images order by 1") == ["one", "two"]
    # none is imported where a folder is not there
    ran = concord(project, "import", "images", f"three={tmp_path / 'one'}", "four=nowhere", "--layout", "visor")
    assert (ran.status, ran.err) == (1, "import images: nowhere: there is no such folder\n")
    assert len(query(project, "select * from images")) == 2


def test_files_for_a_study_and_prompts_that_differ(project: Path, tmp_path: Path) -> None:
    done(project, *geneval_study(tmp_path))
    words = ["import", "images", geneval_folder(tmp_path / "sdv2"), "--layout", "geneval", "--generator", "sdv2"]
    assert done(project, *words).startswith("4 images of 2 prompts")
    assert query(
        project, "select count(*) from items t join images i on i.image_id = t.item_id where i.sha256 is not null"
    ) == [4]
    assert query(project, "select count(*) from images") == [4]
    other = geneval_folder(tmp_path / "other", 1)
    changed = {"tag": "single_object", "include": [{"class": "dog", "count": 1}], "prompt": "a photo of a dog"}
    (other / "00000" / "metadata.jsonl").write_text(json.dumps(changed))
    before = tables(project)
    ran = concord(project, "import", "images", other, "--layout", "geneval", "--generator", "new")
    assert ran.status == 1
    assert "left out: geneval/00000: its text is 'a photo of a cow' already, not 'a photo of a dog'" in ran.err
    assert tables(project) == before
    done(project, "import", "undo", 1)
    assert query(project, "select count(*) from images where sha256 is not null") == [4]


def test_ratings(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,x,5", "a,y,4", "b,x,1", "b,y,2")
    done(project, "import", "ratings", file, *RATINGS)
    rows = agreement(project)["among_people"]
    assert value(rows, aspect="quality", statistic="pearson") == pytest.approx(1)
    assert value(rows, aspect="quality", statistic="percent_agreement") == 0
    before = tables(project)
    assert "nothing to do" in done(project, "import", "ratings", file, *RATINGS)
    assert tables(project) == before
    done(project, "import", "undo", 1)
    assert set(map(len, tables(project).values())) == {0}


def with_options(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return a command's options, of which these others take the place of those of the same name."""
    options = dict(zip(words[::2], words[1::2], strict=True)) | dict(zip(others[::2], others[1::2], strict=True))
    return [word for option in options.items() for word in option]


@pytest.mark.parametrize(
    ("rows", "extra", "message"),
    [
        (["a,x,5", "b,x,6"], [], "r.csv:3: value is '6'"),
        (["a,x,5"], ["--scale", "ordinal:1-9"], "one aspect has one scale"),
        (["a,x,5"], ["--scale", "stars"], "a scale is nominal"),
        (["a,x,5"], ["--suite", "other"], "item 'a' has suite 'ratings' in this project already, not 'other'"),
        (["a,x,5"], ["--aspect", "correct"], "'correct' is yes or no"),
        (["a,x,5"], ["--kind", "scorer"], "the name 'x' belongs to a person"),
        (["a,x,5"], ["--value", "Value"], "no column 'Value'"),
    ],
)
def test_ratings_refused_with_one_line_and_nothing_written(
    project: Path, tmp_path: Path, rows: list[str], extra: list[str], message: str
) -> None:
    done(project, "import", "ratings", ratings_csv(tmp_path / "first.csv", "a,x,3"), *RATINGS)
    before = tables(project)
    ran = concord(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", *rows), *with_options(RATINGS, extra))
    # 2: the command line is wrong; 1: the file, or what the project holds
    assert (ran.status, ran.out) == (2 if "stars" in extra else 1, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("import ratings: ")
    assert tables(project) == before


def test_ratings_of_prompts_that_are_there(project: Path, tmp_path: Path) -> None:
    done(project, "import", "prompts", metadata(tmp_path), "--suite", "geneval")
    file = ratings_csv(
        tmp_path / "r.csv", "a,x,5,00001", "b,x,4,a photo of a cow", "c,x,4,geneval/00000", "d,x,1,a new one",
        header="image,who,value,prompt",
    )  # fmt: skip
    done(project, "import", "ratings", file, *RATINGS, "--suite", "geneval", "--prompt", "prompt")
    results = query(project, "select prompt_id from items order by item_id")
    assert results == ["geneval/00001", "geneval/00000", "geneval/00000", "geneval/a new one"]


def test_many_ratings(project: Path, tmp_path: Path) -> None:
    rows = [f"i{n // 4},r{n % 4},{n % 5 + 1}" for n in range(20_000)]
    assert done(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", *rows), *RATINGS).startswith(
        "20,000 ratings of 5,000"
    )
    assert query(project, "select count(*) from judgements") == [20_000]
    done(project, "import", "undo", 1)
    assert query(project, "select count(*) from judgements") == [0]


def test_prompts_keep_their_texts(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("a cat\na dog\n")
    done(project, "import", "prompts", file, "--suite", "mine")
    file.write_text("a cat\na bird\na cow\n")
    ran = concord(project, "import", "prompts", file, "--suite", "mine")
    assert ran.status == 1
    assert "mine/00001: its text is 'a dog' already, not 'a bird' as in p.txt" in ran.err
    assert "--suite mine-2" in ran.err
    assert query(project, "select text from prompts order by prompt_id") == ["a cat", "a dog"]


def test_tifas_prompts(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.json"
    path.write_text(
        json.dumps([{"id": "coco_1", "caption": "It’s on ", "coco_val_id": "9"}, {"id": "drawbench_2", "caption": "b"}])
    )
    assert done(project, "import", "prompts", path, "--suite", "tifa").startswith("tifa: 2 new of 2 prompts")
    assert query(project, "select prompt_id || ' ' || task || ': ' || text from prompts order by prompt_id") == [
        "tifa/coco_1 coco: It’s on ",
        "tifa/drawbench_2 drawbench: b",
    ]


@pytest.mark.skipif(not TIFA_TEXTS.is_file(), reason="TIFA's files are not here")
def test_all_of_tifas_prompts(project: Path) -> None:
    assert done(project, "import", "prompts", TIFA_TEXTS, "--suite", "tifa").startswith("tifa: 4081 new of 4081 prompts")
    ids = [f"tifa/{text['id']}" for text in json.loads(TIFA_TEXTS.read_text())]
    assert query(project, "select prompt_id from prompts order by prompt_id") == sorted(ids)
    counts = "select task || ' ' || count(*) from prompts group by task order by task"
    # section 4.1: 2,000 of COCO, 161 of DrawBench, 500 of PaintSkill, 1,420 of PartiPrompt
    assert query(project, counts) == ["coco 2000", "drawbench 161", "paintskill 500", "partiprompt 1420"]
