"""``import ratings``: what a file's names, values and raters mean, and what is refused because it could mean two things."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.ui.small_project import RATINGS, agreement, concord, done, geneval_folder, metadata, png, query, ratings_csv, tables

VISOR = Path(__file__).resolve().parents[4] / "shared" / "studies" / "visor" / "images"
COLUMNS = ("--item", "image", "--rater", "who", "--value", "value")
OWN = (*COLUMNS, "--aspect", "mood", "--scale", "nominal")
CORRECT = (*COLUMNS, "--aspect", "correct", "--scale", "nominal")
WIDE = ("--item", "image", "--wide", "--aspect", "quality", "--scale", "ordinal:1-5")
SCORES = ("--item", "path", "--wide", "--kind", "scorer", "--aspect", "score", "--scale", "interval")


def refused(project: Path, *words: object) -> str:
    """The one line with which ``import ratings`` refuses, having written nothing."""
    before = tables(project)
    ran = concord(project, "import", "ratings", *words)
    assert (ran.status, ran.err.count("\n"), tables(project)) == (1, 1, before), ran
    return ran.err


def labels(project: Path) -> list[Any]:
    return query(project, "select coalesce(label, reason) from judgements order by seq")


def stated(rows: list[dict[str, Any]], statistic: str) -> dict[str, Any]:
    (row,) = [row for row in rows if row["statistic"] == statistic and (row["task"], row["generator"]) == ("all", "all")]
    return row


# ---- a column per rater


def test_a_wide_file_given_as_long_is_refused_and_is_read_with_wide(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,1,2", "b,5,NA", "c,3,3", header="image,ann,ben")
    as_long = ("--item", "image", "--rater", "ann", "--value", "ben", *RATINGS[6:])
    said = refused(project, file, *as_long)
    assert "the column of raters, 'ann', holds only values of the scale 'ordinal:1-5' ('1', '5', '3')" in said
    assert "say --wide" in said
    yes = ratings_csv(tmp_path / "yes.csv", "a,1,0", "b,0,0", header="image,ann,ben")
    assert "--wide" in refused(project, yes, *as_long[:6], "--aspect", "fits", "--scale", "nominal")
    assert done(project, "import", "ratings", file, *WIDE).startswith(
        "5 ratings of 3 items by 2 raters ('ann', 'ben'); 1 left out: 1 with 'NA'"
    )
    assert query(project, "select rater_id || ' ' || label from judgements order by seq") == [
        "ann 1", "ben 2", "ann 5", "ann 3", "ben 3",
    ]  # fmt: skip


def test_raters_who_are_called_as_ratings_are(project: Path, tmp_path: Path) -> None:
    many = ratings_csv(tmp_path / "many.csv", "a,1,5", "a,2,4", "b,1,3", "b,2,3")
    assert done(project, "import", "ratings", many, *RATINGS).startswith("4 ratings of 2 items by 2 raters")
    few = ratings_csv(tmp_path / "few.csv", "c,1,5", "d,2,4")
    assert "add --long" in refused(project, few, *RATINGS)
    assert done(project, "import", "ratings", few, *RATINGS, "--long").startswith("2 ratings of 2 items")


def test_a_column_that_is_no_raters(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,4,sharp", header="image,ann,notes")
    assert "r.csv:2: notes is 'sharp' (item 'a'): " in (said := refused(project, file, *WIDE))
    assert "--rater-columns" in said
    assert done(project, "import", "ratings", file, *WIDE, "--rater-columns", "ann").startswith(
        "1 rating of 1 item by 1 rater ('ann')"
    )
    # row numbers, as pandas saves them
    numbered = ratings_csv(tmp_path / "n.csv", "1,a,4", header=",image,ann")
    assert "a column without a name" in refused(project, numbered, *WIDE)


# ---- spellings


@pytest.mark.parametrize(
    ("rows", "both", "merge", "stored"),
    [
        (["a,x,Red", "b,x,red", "c,x,red"], "'red' and 'Red'", ["case"], ["red"]),
        (["a,x,dark red", "b,x,dark  red"], "'dark red' and 'dark  red'", ["space"], ["dark red"]),
        (["a,x,10", "b,x,10.0"], "'10' and '10.0'", ["number"], ["10"]),
        (["a,x,Dark  red", "b,x,dark red"], "'Dark  red' and 'dark red'", ["case", "space"], ["Dark  red"]),
    ],
)
def test_labels_that_differ_only_in_how_they_are_written(
    project: Path, tmp_path: Path, rows: list[str], both: str, merge: list[str], stored: list[str]
) -> None:
    file = ratings_csv(tmp_path / "r.csv", *rows)
    said = refused(project, file, *OWN)
    options = [word for one in merge for word in ("--merge", one)]
    assert f"labels differ only in how they are written: {both}. If they are the same, add {' '.join(options)};" in said
    done(project, "import", "ratings", file, *OWN, *options)
    assert query(project, "select distinct label from judgements") == stored


def test_raters_that_differ_only_in_how_they_are_written(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,Ann,5", "b,Ann ,4", "c,ben,4")
    said = refused(project, file, *RATINGS)
    assert "raters differ only in how they are written: 'Ann' and 'Ann '. If they are the same, add --merge space;" in said
    done(project, "import", "ratings", file, *RATINGS, "--merge", "space")
    # and those whom the project has
    later = ratings_csv(tmp_path / "later.csv", "a,Ben,5")
    assert "'Ben' and 'ben' (known already)" in refused(project, later, *RATINGS)
    done(project, "import", "ratings", later, *RATINGS, "--merge", "case")
    assert query(project, "select rater_id from raters order by 1") == ["Ann", "ben"]
    done(project, "import", "ratings", later, *RATINGS, "--merge", "none")
    assert query(project, "select rater_id from raters order by 1") == ["Ann", "Ben", "ben"]


def test_levels_keep_the_spelling_of_the_scale(project: Path, tmp_path: Path) -> None:
    words = (*COLUMNS, "--aspect", "mood", "--scale", "ordinal:low<high")
    file = ratings_csv(tmp_path / "r.csv", "a,x,Low", "b,x,high")
    assert "'Low' and 'low' (known already)" in refused(project, file, *words)
    done(project, "import", "ratings", file, *words, "--merge", "case")
    assert labels(project) == ["low", "high"]


# ---- values


def test_what_is_missing_is_left_out_and_counted(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,x,5", "b,x,NA", "c,x,nan", "d,x,", "e,x,-9", "f,x,NA")
    assert "r.csv:6: value is '-9'" in refused(project, file, *RATINGS)
    out = done(project, "import", "ratings", file, *RATINGS, "--missing", "-9")
    assert "; 5 left out: 2 with 'NA', 1 with 'nan', 1 without a value, 1 with '-9'" in out
    assert labels(project) == ["5"]


def test_yes_and_no_however_they_are_written(project: Path, tmp_path: Path) -> None:
    answers = ["1.0", "y", "Yes", "TRUE", "1", "0.0", "N", "false"]
    file = ratings_csv(tmp_path / "r.csv", *(f"i{n},x,{word}" for n, word in enumerate(answers)))
    done(project, "import", "ratings", file, *CORRECT)
    assert labels(project) == ["yes"] * 5 + ["no"] * 3
    # a column of one's own: all yes and no in words, so 1.0 is yes there, too, in the words that the project has
    done(project, "import", "ratings", ratings_csv(tmp_path / "s.csv", "i0,x,True", "i1,x,False"), *OWN)
    done(project, "import", "ratings", ratings_csv(tmp_path / "t.csv", "i0,z,1.0", "i1,z,n"), *OWN)
    assert query(project, "select label from judgements where aspect = 'mood' order by seq") == ["yes", "no", "yes", "no"]
    # where a third label is, 1.0 is a label
    other = (*COLUMNS, "--aspect", "kind", "--scale", "nominal")
    done(project, "import", "ratings", ratings_csv(tmp_path / "u.csv", "i0,x,1.0", "i1,x,yes", "i2,x,both"), *other)
    assert query(project, "select label from judgements where aspect = 'kind' order by seq") == ["1.0", "yes", "both"]


@pytest.mark.parametrize("words", [OWN, CORRECT, RATINGS, (*COLUMNS, "--aspect", "s", "--scale", "interval")])
def test_cannot_tell_is_an_abstention(project: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,x,1", "a,y,1", "b,x,cannot tell", "b,y,Can't tell", "c,x,cannot_tell", "c,y,1")
    assert ", 3 of them abstentions (cannot tell)" in done(project, "import", "ratings", file, *words)
    assert query(project, "select reason from judgements where label is null and value is null") == ["cannot_tell"] * 3
    row = stated(agreement(project)["among_people"], "mean" if words != OWN else "percent_agreement")
    assert row["excluded"]["cannot_tell"] == 3
    if words == OWN:
        before = tables(project)
        done(project, "rebuild")
        assert tables(project) == before


def test_half_stars_and_negative_levels(project: Path, tmp_path: Path) -> None:
    stars = (*COLUMNS, "--aspect", "stars", "--scale", "ordinal:0.5-5:0.5")
    done(project, "import", "ratings", ratings_csv(tmp_path / "s.csv", "a,x,3.5", "a,y,4.0", "b,x,.5", "b,y,5"), *stars)
    lean = (*COLUMNS, "--aspect", "lean", "--scale", "ordinal:-2-2")
    done(project, "import", "ratings", ratings_csv(tmp_path / "l.csv", "a,x,-2", "a,y,-1", "b,x,2", "b,y,0"), *lean)
    assert labels(project) == ["3.5", "4", "0.5", "5", "-2", "-1", "2", "0"]
    rows = agreement(project)["among_people"]
    means = {aspect: stated([r for r in rows if r["aspect"] == aspect], "mean")["value"] for aspect in ("stars", "lean")}
    assert means == {"stars": pytest.approx(3.25), "lean": pytest.approx(-0.25)}
    off = ratings_csv(tmp_path / "off.csv", "a,x,3.25")
    assert "off.csv:2: value is '3.25'" in refused(project, off, *stars)


# ---- which images


@pytest.fixture
def pictures(project: Path, tmp_path: Path) -> Path:
    """Images of two generators, ``red/a.png``, ``red/b.png`` and ``blue/a.png``, which people have judged by id."""
    folder = tmp_path / "pictures"
    for n, name in enumerate(("red/a.png", "red/b.png", "blue/a.png")):
        png(folder / name, f"rgb({n}, 9, 9)")
    (folder / "images.csv").write_text(
        "path,prompt,generator\nred/a.png,a cat,red\nred/b.png,a dog,red\nblue/a.png,a cat,blue\n"
    )
    done(project, "import", "images", folder, "--layout", "csv", "--suite", "mine")
    ids = [f"mine/{place}" for place in ("00000/red/0", "00001/red/0", "00000/blue/0")]
    rows = [f"{item},{who},{n + k + 1}" for n, item in enumerate(ids) for k, who in enumerate(("ann", "ben"))]
    people = ratings_csv(tmp_path / "people.csv", *rows)
    assert "3 of 3 match an image of suite mine (by id)" in done(
        project, "import", "ratings", people, *COLUMNS, "--aspect", "faithfulness", "--scale", "ordinal:1-5", "--suite", "mine"
    )
    return folder


def test_scores_by_path_stand_beside_people(project: Path, pictures: Path, tmp_path: Path) -> None:
    rows = (f"{pictures}/red/a.png,0.1", "./red/b.png,0.2", r"pictures\blue\a.png,0.3")
    file = ratings_csv(tmp_path / "s.csv", *rows, header="path,clip")
    out = done(project, "import", "ratings", file, *SCORES, "--suite", "mine")
    assert out.startswith("3 of 3 match an image of suite mine (by path)\n3 ratings of 3 items by 1 rater ('clip') (import 3;")
    row = stated([entry for entry in agreement(project)["raters"] if entry["rater"] == "clip"], "spearman")
    assert (row["n_items"], row["value"], row["saw_labels"]) == (3, pytest.approx(1), False)
    assert done(project, "import", "ratings", file, *SCORES, "--suite", "mine").startswith("nothing to do")


def test_scorers_made_from_peoples_labels_are_marked(project: Path, pictures: Path, tmp_path: Path) -> None:
    rows = (f"{pictures}/red/a.png,0.1", f"{pictures}/red/b.png,0.2", f"{pictures}/blue/a.png,0.3")
    file = ratings_csv(tmp_path / "s.csv", *rows, header="path,tuned")
    done(project, "import", "ratings", file, *SCORES, "--suite", "mine", "--saw-labels")
    row = stated([entry for entry in agreement(project, "--ceiling")["raters"] if entry["rater"] == "tuned"], "spearman")
    assert (row["saw_labels"], row["ceiling"]["verdict"]) == (True, None)
    assert "chosen with these people's labels in view" in row["ceiling"]["verdict_reason"]


def test_every_way_in_which_a_file_may_name_images(project: Path, pictures: Path, tmp_path: Path) -> None:
    sha256 = hashlib.sha256((pictures / "blue" / "a.png").read_bytes()).hexdigest()
    items = [
        "mine/00000/red/0,,,",
        "red/a.png,,,",
        "https://x.org/else/b.png?size=5,,,",
        f"{sha256.upper()},,,",
        "x7,a cat,blue,0",
    ]
    file = ratings_csv(tmp_path / "s.csv", *(f"{item},1" for item in items), header="path,prompt,gen,n,clip")
    words = (*SCORES, "--suite", "mine", "--prompt", "prompt", "--generator", "gen", "--index", "n")
    out = done(project, "import", "ratings", file, *words)
    assert out.startswith("5 of 5 match an image of suite mine (1 by id, 1 by path, 1 by name, 1 by sha256, 1 by prompt)\n")
    assert "1 of 5 items match an image of suite 'mine'" in refused(project, file, *words, "--match", "prompt")
    wrong = ratings_csv(tmp_path / "w.csv", "red/a.png,a dog,red,0,1", header="path,prompt,gen,n,clip")
    assert "line 2: 'red/a.png' matches 'mine/00000/red/0', but here it has prompt 'a dog', and in the project 'a cat'" in (
        refused(project, wrong, *words)
    )


def test_items_that_match_no_image_stop_the_import(project: Path, pictures: Path, tmp_path: Path) -> None:  # noqa: ARG001
    rows = ["red/a.png,1", "b.pgn,1", *(f"else{n}.png,1" for n in range(6))]
    file = ratings_csv(tmp_path / "s.csv", *rows, header="path,clip")
    said = refused(project, file, *SCORES, "--suite", "mine")
    assert "1 of 8 items match an image of suite 'mine'; these do not: 'b.pgn' (did you mean 'b.png'?), 'else0.png'" in said
    assert "and 2 more. Correct their names. To take them in as items without pictures, add --new-items" in said
    out = done(project, "import", "ratings", file, *SCORES, "--suite", "mine", "--new-items")
    assert out.startswith("1 of 8 match an image of suite mine (by path), 7 new items without pictures\n")
    assert query(project, "select count(*) from items where generator is null") == [7]
    # they are the suite's now; a picture of that name goes before them
    again = ratings_csv(tmp_path / "again.csv", "else0.png,1", "red/b.png,1", header="path,blip")
    out = done(project, "import", "ratings", again, *SCORES, "--suite", "mine")
    assert out.startswith("1 of 2 match an image of suite mine (1 by id, 1 by path), 1 other item of it\n")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        # of two images one is called so
        ("a.png", "1 of the items fit several images of suite 'mine': 'a.png' (2 images)"),
        # two folders that are not the project's, with a file of one name: neither is the image
        ("x/b.png,1\ny/b.png", "0 of 2 items match an image"),
    ],
)
def test_a_file_name_that_fits_several(project: Path, pictures: Path, tmp_path: Path, item: str, message: str) -> None:  # noqa: ARG001
    file = ratings_csv(tmp_path / "s.csv", f"{item},1", header="path,clip")
    assert message in refused(project, file, *SCORES, "--suite", "mine")


def test_a_suite_without_images(project: Path, pictures: Path, tmp_path: Path) -> None:  # noqa: ARG001
    file = ratings_csv(tmp_path / "s.csv", "red/a.png,1", "b.png,1", header="path,clip")
    assert "2 of 2 items match an image of suite 'mine': did you mean --suite mine?" in refused(project, file, *SCORES)
    other = refused(project, file, *SCORES, "--suite", "other", "--match", "sha256")
    assert "suite 'other' has no images to match" in other
    out = done(project, "import", "ratings", file, *SCORES, "--suite", "other")
    assert out.startswith("2 ratings of 2 items by 1 rater ('clip'); suite 'other' has no images (import 3;")


@pytest.mark.skipif(not VISOR.is_dir(), reason="VISOR's images are not here")
def test_scores_of_visors_images_by_path(project: Path, tmp_path: Path) -> None:
    files = sorted(VISOR.glob("*/*.png"))
    for folder in sorted({file.parent for file in files}):
        done(project, "import", "images", folder, "--layout", "visor", "--generator", folder.name)
    people = [f"{file},{who},{(n + k) % 3 > 0}" for n, file in enumerate(files) for k, who in enumerate(("ann", "ben"))]
    yes_no = (*CORRECT, "--suite", "sr2d")
    done(project, "import", "ratings", ratings_csv(tmp_path / "people.csv", *people), *yes_no)
    rows = [f"{file.parent.name}/{file.name},{n / 700}" for n, file in enumerate(files)]
    scores = ratings_csv(tmp_path / "s.csv", *rows, header="path,clip")
    out = done(project, "import", "ratings", scores, *SCORES, "--suite", "sr2d")
    assert out.startswith("700 of 700 match an image of suite sr2d (by path)\n700 ratings of 700 items by 1 rater ('clip') (")
    row = stated([entry for entry in agreement(project)["raters"] if entry["rater"] == "clip"], "auc")
    assert row["n_items"] == 700


# ---- other formats, and how it is taken in


def test_label_studio_and_argilla_through_the_command(project: Path, pictures: Path, tmp_path: Path) -> None:  # noqa: ARG001
    def annotation(who: int, stars: int) -> dict[str, Any]:
        return {"completed_by": who, "result": [{"from_name": "stars", "type": "rating", "value": {"rating": stars}}]}

    studio = tmp_path / "studio.json"
    tasks = [
        {"data": {"image": f"/data/local-files/?d=pictures/{name}"}, "annotations": [annotation(1, 4), annotation(2, 5)]}
        for name in ("red/a.png", "blue/a.png")
    ]
    studio.write_text(json.dumps(tasks))
    words = ("--item", "image", "--aspect", "stars", "--scale", "ordinal:1-5", "--suite", "mine")
    assert "no column 'star'. Did you mean 'stars'?" in refused(project, studio, *words, "--value", "star")
    named = (*words, "--value", "stars")
    out = done(project, "import", "ratings", studio, *named, "--identity", "slot")
    assert out.startswith("2 of 2 match an image of suite mine (by path)\n4 ratings of 2 items by 2 raters")
    assert query(project, "select rater_id || ' ' || identity from raters order by 1") == [
        "1 slot", "2 slot", "ann person", "ben person",
    ]  # fmt: skip
    argilla = tmp_path / "argilla.jsonl"
    argilla.write_text(
        json.dumps({"fields": {"image": "red/b.png"}, "responses": {"stars": [{"value": 3, "user_id": "u-1"}]}}) + "\n"
    )
    assert done(project, "import", "ratings", argilla, *named).startswith("1 of 1 match an image of suite mine (by path)")


def test_a_dry_run_shows_what_would_be_stored(project: Path, pictures: Path, tmp_path: Path) -> None:  # noqa: ARG001
    rows = ["red/a.png,Ann,y", "red/a.png,ann,no", "red/b.png,ann,cannot tell", "red/b.png,ben,NA"]
    file = ratings_csv(tmp_path / "r.csv", *rows)
    before = tables(project)
    out = done(project, "import", "ratings", file, *CORRECT, "--suite", "mine", "--merge", "case", "--dry-run")
    assert out == (
        "2 of 2 match an image of suite mine (by path)\n"
        "item              rater  correct\n"
        "mine/00000/red/0  ann    yes\n"
        "mine/00000/red/0  ann    no\n"
        "mine/00001/red/0  ann    cannot_tell\n"
        "3 ratings of 2 items by 1 rater, 1 of them abstentions (cannot tell); 1 left out: 1 with 'NA'; 1 repeat (1 of them"
        " differ): a rater's first rating of an item counts\n"
        "a dry run: nothing is stored\n"
    )
    assert tables(project) == before


def test_a_correction_says_what_it_repeats_and_how_it_counts(project: Path, tmp_path: Path) -> None:
    first = ratings_csv(tmp_path / "r.csv", "a,x,5", "b,x,4", "a,y,cannot tell")
    options = ("--item", "image", "--rater", "who", "--value", "value", "--aspect", "stars", "--scale", "ordinal:1-5")
    assert "stored already" not in done(project, "import", "ratings", first, *options)
    again = ratings_csv(tmp_path / "again.csv", "a,x,2", "b,x,4", "a,y,cannot tell", "b,y,1")
    out = done(project, "import", "ratings", again, *options)
    earlier = out.partition("import undo ")[2].partition(";")[0]
    assert "; 3 ratings repeat what is stored already, 1 of them with another value: what is stored counts" in out
    values = {(row["item"], row["rater"]): row["value"] for row in exported(project, tmp_path)}
    assert values["a", "x"] == "5"
    done(project, "import", "undo", earlier)
    assert {(row["item"], row["rater"]): row["value"] for row in exported(project, tmp_path)}["a", "x"] == "2"


def exported(project: Path, tmp_path: Path) -> list[dict[str, str]]:
    """The ratings of the aspect ``stars`` that statistics use."""
    done(project, "export", "ratings", "--aspect", "stars", "--format", "csv", "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("name", "text", "options", "said"),
    [
        (
            "r.json",
            '{"a": [3,\n 4], "b": [5, 6]}',
            ("--rater", "worker", "--value", "answer"),
            "r.json: one JSON object, where a list of objects or one object a line is expected; a few lines of Python",
        ),
        (
            "r.csv",
            'image,x\na,"[4, 2]"\n',
            ("--wide",),
            "r.csv:2: x is '[4, 2]' (item 'a'): a cell holds one rating, not a list; a few lines of Python",
        ),
    ],
)
def test_what_is_no_table_of_ratings_says_what_to_do(
    project: Path, tmp_path: Path, name: str, text: str, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / name).write_text(text)
    ran = concord(
        project,
        "import",
        "ratings",
        tmp_path / name,
        "--item",
        "image",
        "--aspect",
        "stars",
        "--scale",
        "ordinal:1-5",
        *options,
    )
    assert (ran.status, ran.out) == (1, "")
    assert said in ran.err
    assert "docs/importing.md" in ran.err


def test_what_changes_the_meaning_is_another_import(project: Path, tmp_path: Path) -> None:
    file = ratings_csv(tmp_path / "r.csv", "a,x,5", "b,x,4")
    done(project, "import", "ratings", file, *RATINGS)
    # the same words in another order, or in words that change nothing
    assert "nothing to do" in done(project, "import", "ratings", file, *RATINGS, "--long")
    assert "(import 2;" in done(project, "import", "ratings", file, *RATINGS, "--missing", "4")
    assert "nothing to do" in done(project, "import", "ratings", file, *RATINGS, "--missing", "4")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*WIDE, "--rater", "who"), "leave --rater and --value out"),
        ((*RATINGS, "--rater-columns", "who", "--long"), "leave --rater-columns out, or --long"),
        ((*RATINGS, "--identity", "slot", "--kind", "scorer"), "--identity is only for people"),
        ((*RATINGS, "--merge", "none", "--merge", "case"), "--merge none keeps all names apart"),
        ((*RATINGS, "--saw-labels"), "--saw-labels is only for scorers"),
        (("--dry-run",), "--item, --rater, --value, --aspect, --scale missing"),
    ],
)
def test_options_that_contradict_each_other(project: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    ran = concord(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", "a,x,5"), *words)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_geneval_places_are_images_before_they_have_files(project: Path, tmp_path: Path) -> None:
    """A place that a study brought is an image, so that a wrong name stops there, too."""
    done(project, "import", "images", geneval_folder(tmp_path / "sdv2"), "--layout", "geneval", "--generator", "sdv2")
    metadata(tmp_path)
    file = ratings_csv(tmp_path / "r.csv", "00000/samples/0000.png,x,5", "00001/samples/0000.png,x,5")
    out = done(project, "import", "ratings", file, *RATINGS, "--suite", "geneval")
    assert out.startswith("2 of 2 match an image of suite geneval (by path)")
