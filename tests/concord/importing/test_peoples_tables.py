"""``import ratings``: tables as form tools and people save them are read as they are meant, or refused with the way out."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from concord.common.context import CommandError, Context
from concord.importing.rating_request import RatingRequest
from concord.importing.ratings import import_ratings
from data.store import imports
from data.store.core.store import Store
from tests.workbooks import workbook

LONG: dict[str, Any] = {"item": "image", "rater": "who", "value": "vote"}
SCORE: dict[str, Any] = {"aspect": "fit", "scale": "interval"}
STARS: dict[str, Any] = {"aspect": "quality", "scale": "ordinal:1-5"}
LABEL: dict[str, Any] = {"aspect": "mood", "scale": "nominal"}
Ratings = Mapping[str, Any]
"""By ``item rater`` the label, or the number."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("tables") / "project") as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_is_left(store: Store) -> Iterator[None]:
    yield
    for row in reversed(imports.listed(store)):
        if row.undone is None:
            imports.undo(store, row.import_id)


class Table:
    """A file that is imported into a project, looked at and taken back."""

    def __init__(self, store: Store, folder: Path, content: str | bytes, name: str = "r.csv") -> None:
        self.store, self.folder, self.name = store, folder, name
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        self.said = ""

    def read(self, **options: Any) -> Ratings:
        """Return the ratings that are stored; what was said meanwhile is in ``said``."""
        aspects = self.aspects(**options)
        (ratings,) = aspects.values()
        return ratings

    def aspects(self, **options: Any) -> Mapping[str, Ratings]:
        """Like `read`, by aspect."""
        out = io.StringIO()
        import_ratings(Context(self.store, self.folder, out, io.StringIO()), self.name, RatingRequest(**options))
        self.said = out.getvalue()
        aspects: dict[str, dict[str, Any]] = {}
        for row in self.store.query("select * from judgements order by seq"):
            value = row["label"] if row["label"] is not None else row["value"]
            aspects.setdefault(row["aspect"], {})[f"{row['item_id']} {row['rater_id']}"] = value
        imports.undo(self.store, imports.listed(self.store)[-1].import_id)
        return aspects

    def refused(self, **options: Any) -> str:
        """Return the one line with which it is refused; nothing is stored."""
        with pytest.raises((CommandError, ValueError)) as caught:
            self.read(**options)
        assert "\n" not in str(caught.value)
        assert self.store.query("select * from judgements") == []
        return str(caught.value)


TWO = {"a.png ann": 4.5, "b.png ann": 3.0}


# ---- delimiters, decimal signs, encodings, lines of the header


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("\ufeffimage;who;vote\r\na.png;ann;4,5\r\nb.png;ann;3,0\r\n", "r.csv", "semicolons; decimal commas: '4,5'"),
        ("image\twho\tvote\na.png\tann\t4,5\nb.png\tann\t3\n", "r.csv", "separated by tabs; decimal commas"),
        ("image|who|vote\na.png|ann|4.5\nb.png|ann|3\n", "r.txt", "separated by vertical bars"),
        ("sep=;\nimage;who;vote\na.png;ann;4.5\nb.png;ann;3\n", "r.csv", "separated by semicolons"),
        ('image,who,vote\na.png,ann,"4,5"\nb.png,ann,"3,0"\n', "r.csv", "decimal commas: '4,5' is 4.5"),
        ("image,who,vote\r\r\na.png,ann,4.5\r\r\nb.png,ann,3.0\r\r\n", "r.csv", ""),
        ('image;who;"notes, if any";vote\na.png;ann;"a, b";4,5\nb.png;ann;;3,0\n', "r.csv", "separated by semicolons"),
        ("image,who,vote\na.png,ann,4.5,,\nb.png,ann,3\n", "r.csv", ""),
        ("Study of June\n\nimage;who;vote\na.png;ann;4,5\nb.png;ann;3\n", "r.csv", "line 1 before the header passed over"),
        ("image,who,vote\na.png,ann,4.5\nimage,who,vote\nb.png,ann,3\n", "r.csv", "line 3 repeats the header"),
    ],
)  # fmt: skip
def test_a_table_with_other_delimiters_and_decimal_signs_is_read(
    store: Store, tmp_path: Path, content: str, name: str, said: str
) -> None:
    table = Table(store, tmp_path, content, name)
    assert table.read(**LONG, **SCORE) == TWO
    assert said in table.said


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("a.png;ann;1,234\nb.png;ann;2,500\n", "'1,234' may be 1.234 or 1234"),
        ("a.png;ann;4,5\nb.png;ann;3.5\n", "vote is '4,5'"),
        ("a.png;ann;1.234,5\nb.png;ann;3,5\n", "vote is '1.234,5'"),
    ],
)
def test_numbers_that_may_be_two_are_refused(store: Store, tmp_path: Path, rows: str, why: str) -> None:
    assert why in Table(store, tmp_path, f"image;who;vote\n{rows}").refused(**LONG, **SCORE)


GERMAN = "image,who,vote\na.png,Jürgen,größer\nb.png,Jürgen,mäßig\n"
GERMAN_RATINGS = {"a.png Jürgen": "größer", "b.png Jürgen": "mäßig"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GERMAN.encode("utf-16"), "in UTF-16"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), "in UTF-16"),
        (GERMAN.encode("utf-16-le"), "in UTF-16"),
        (GERMAN.encode("cp1252"), "in Windows-1252"),
        (GERMAN.encode("utf-8-sig"), ""),
        (GERMAN.replace(",", "\t").encode("utf-16"), "in UTF-16; separated by tabs"),
    ],
)
def test_the_encoding_is_seen(store: Store, tmp_path: Path, content: bytes, said: str) -> None:
    table = Table(store, tmp_path, content)
    assert table.read(**LONG, **LABEL) == GERMAN_RATINGS
    assert said in table.said


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("cp1250", "zły"),
        ("cp1251", "хорошо"),
        ("mac-roman", "mäßig"),
        ("gb18030", "很好"),
        ("mac-roman", "schön"),
        ("cp1252", "très"),
    ],
)
def test_an_encoding_that_cannot_be_seen_is_named(store: Store, tmp_path: Path, encoding: str, word: str) -> None:
    table = Table(store, tmp_path, f"image,who,vote\na,x,{word}\nb,x,good\n".encode(encoding))
    assert f"reads '{word}'" in (why := table.refused(**LONG, **LABEL)) or "--encoding" in why
    assert table.read(**LONG, **LABEL, encoding=encoding) == {"a x": word, "b x": "good"}


QUALTRICS = (
    '\ufeffStartDate,Status,Finished,ResponseId,image,Q1\r\nStart Date,Response Type,Finished,Response ID,image,"How well,\n'
    'does it fit?"\r\n"{""ImportId"":""startDate"",""timeZone"":""Z""}","{""ImportId"":""status""}",'
    '"{""ImportId"":""finished""}","{""ImportId"":""_recordId""}","{""ImportId"":""image""}","{""ImportId"":""QID1""}"\r\n'
)


@pytest.mark.parametrize(
    ("rows", "left_out"),
    [
        ("2026-06-01,IP Address,True,R_1,a.png,good\r\n2026-06-01,IP Address,True,R_2,a.png,bad\r\n", ""),
        ("2026-06-01,0,1,R_1,a.png,good\r\n2026-06-01,0,1,R_2,a.png,bad\r\n2026-06-01,1,1,R_3,a.png,good\r\n",
         "1 preview or spam"),
        ("2026-06-01,Survey Preview,True,R_0,a.png,bad\r\n2026-06-01,IP Address,True,R_1,a.png,good\r\n"
         "2026-06-02,IP Address,False,R_2,a.png,bad\r\n", "1 preview or spam"),
    ],
)  # fmt: skip
def test_qualtrics_header_lines_and_previews_are_no_ratings(store: Store, tmp_path: Path, rows: str, left_out: str) -> None:
    table = Table(store, tmp_path, QUALTRICS + rows)
    assert table.read(item="image", rater="ResponseId", value="Q1", **LABEL) == {"a.png R_1": "good", "a.png R_2": "bad"}
    assert "lines 2 and 4 belong to the header and are passed over" in table.said
    assert left_out in table.said


def test_a_second_header_line_is_asked_about(store: Store, tmp_path: Path) -> None:
    table = Table(
        store, tmp_path, "ResponseId,image,Q1\nResponse ID,image,How well does it fit?\nR_1,a.png,good\nR_2,a.png,bad\n"
    )
    columns = {"item": "image", "rater": "ResponseId", "value": "Q1", **LABEL}
    assert "add --header-lines 2" in table.refused(**columns)
    assert table.read(**columns, header_lines=2) == {"a.png R_1": "good", "a.png R_2": "bad"}
    assert len(table.read(**columns, header_lines=1)) == 3


# ---- persons in rows


GRID = {"a.png ann": "4", "b.png ann": "5", "a.png ben": "3"}


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("who,a.png,b.png\nann,4,5\nben,3,\n", {}),
        ("Timestamp,who,How good is it? [a.png],How good is it? [b.png]\n1,ann,4,5\n2,ben,3,\n",
         {"item": "How good is it? [a.png],How good is it? [b.png]"}),
        ("who;How good is it? [a.png];How good is it? [b.png]\nann;4;5\nben;3;\n", {}),
        ("who,age,a.png,b.png\nann,40,4,5\nben,30,3,\n", {"item": "a.png,b.png"}),
        ("a.png\tb.png\twho\n4\t5\tann\n3\t\tben\n", {}),
    ],
)  # fmt: skip
def test_a_row_per_person_is_read_with_transpose(store: Store, tmp_path: Path, content: str, options: Any) -> None:
    table = Table(store, tmp_path, content)
    assert table.read(rater="who", transpose=True, **options, **STARS) == GRID
    assert "a row per person, a column per item" in table.said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("who,a.png,b.png\nann,4,5\nben,3,2\n", "--transpose --rater COLUMN"),
        ("who,00001,00002,00003\nann,4,5,1\n", "--transpose --rater COLUMN"),
        ("who,sdxl/1.webp,flux/1.webp\nann,4,5\n", "--transpose --rater COLUMN"),
        ("who,image 1,image 2\nann,4,5\n", "--transpose --rater COLUMN"),
        ("who,Rate it [1.jpg],Rate it [2.jpg]\nann,4,5\n", "--transpose --rater COLUMN"),
    ],
)
def test_columns_that_look_like_images_suggest_transpose(store: Store, tmp_path: Path, content: str, why: str) -> None:
    assert why in Table(store, tmp_path, content).refused(item="who", wide=True, **STARS)


def test_columns_beside_the_items_are_asked_about(store: Store, tmp_path: Path) -> None:
    table = Table(store, tmp_path, "who,age,a.png,b.png\nann,4,4,5\n")
    assert "these do not: 'age'; name the items' columns: --item" in table.refused(rater="who", transpose=True, **STARS)


# ---- exports of tools


FLAT = {"id": "r0", "image": "i0.png", "quality.responses": [4, 3, 1], "quality.responses.users": ["u1", "u2", "u3"],
        "quality.responses.status": ["submitted", "submitted", "discarded"], "quality.suggestion": 5}  # fmt: skip
TWO_OF_THREE = {"i0.png u1": "4", "i0.png u2": "3"}


@pytest.mark.parametrize(
    ("record", "left_out"),
    [
        (FLAT, "1 not submitted"),
        ({**FLAT, "quality.responses.status": ["submitted", "submitted", "draft"]}, "1 not submitted"),
        ({"image": "i0.png", "quality": [{"user_id": "u1", "value": 4, "status": "submitted"},
          {"user_id": "u2", "value": 3, "status": "submitted"}, {"user_id": "u3", "value": 1, "status": "pending"}],
          "quality-suggestion": 5}, "1 not submitted"),
        ({"image": "i0.png", "quality": {"user_id": ["u1", "u2"], "value": [4, 3], "status": ["submitted", "submitted"]}}, ""),
        ({"image": "i0.png", "quality.responses": [4, 3], "quality.responses.users": ["u1", "u2"]}, ""),
        ({**FLAT, "fits.responses": ["yes"], "fits.responses.users": ["u1"], "fits.responses.status": ["submitted"]},
         "1 not submitted"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["lines", "list", "parquet"])
def test_argilla_flattened(store: Store, tmp_path: Path, record: dict[str, Any], left_out: str, form: str) -> None:
    if form == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist([record]), tmp_path / "made.parquet")
        content, name = (tmp_path / "made.parquet").read_bytes(), "a.parquet"
    else:
        content, name = json.dumps([record] if form == "list" else record).encode(), "a.json"
    table = Table(store, tmp_path, content, name)
    assert table.read(item="image", value="quality", **STARS) == TWO_OF_THREE
    assert left_out in table.said


CROWD = {"a.png W1": "4", "b.png W1": "5"}


@pytest.mark.parametrize(
    ("content", "columns", "left_out"),
    [
        ('"HITId","WorkerId","AssignmentStatus","Input.image","Answer.q","Approve","Reject"\n"h","W1","Approved","a.png","4","x",""\n'
         '"h","W1","Submitted","b.png","5","",""\n"h","W2","Rejected","a.png","1","","spam"\n',
         ("Input.image", "WorkerId", "Answer.q"), "1 rejected"),
        ('HITId,WorkerId,AssignmentStatus,Input.image,Answer.taskAnswers\nh,W1,Approved,a.png,"[{""q"":{""4"":true,""5"":false}}]"\n'
         'h,W1,Approved,b.png,"[{""q"":""5""}]"\nh,W2,Rejected,b.png,"[{""q"":""1""}]"\n',
         ("Input.image", "WorkerId", "q"), "1 rejected"),
        ("WorkerId,AssignmentStatus,Input.image,Answer.q.4,Answer.q.5\nW1,Approved,a.png,true,false\nW1,Approved,b.png,false,true\n",
         ("Input.image", "WorkerId", "Answer.q"), ""),
        ("INPUT:image\tOUTPUT:q\tGOLDEN:q\tASSIGNMENT:worker_id\tASSIGNMENT:status\na.png\t4\t\tW1\tAPPROVED\nb.png\t5\t\tW1\tAPPROVED\n"
         "\nb.png\t1\t\tW2\tREJECTED\n", ("INPUT:image", "ASSIGNMENT:worker_id", "OUTPUT:q"), "1 rejected"),
        ("_unit_id,_golden,_tainted,_trust,_worker_id,q,image\n1,false,false,0.9,W1,4,a.png\n2,false,false,1,W1,5,b.png\n"
         "2,false,true,0.1,W2,1,b.png\n", ("image", "_worker_id", "q"), "1 tainted"),
    ],
)  # fmt: skip
def test_assignments_of_crowd_platforms_count_unless_rejected(
    store: Store, tmp_path: Path, content: str, columns: tuple[str, str, str], left_out: str
) -> None:
    table = Table(store, tmp_path, content, "batch.tsv" if "\t" in content else "batch.csv")
    assert table.read(**dict(zip(("item", "rater", "value"), columns, strict=True)), **STARS) == CROWD
    assert left_out in table.said


@pytest.mark.parametrize(
    ("header", "votes", "pair"),
    [
        ("prompt,judge,model_a,model_b,winner", ("model_a", "model_b", "tie", "tie (bothbad)"), "model_a,model_b"),
        ("prompt,judge,left,right,choice", ("left", "right", "both", "none"), "left,right"),
        ("prompt,judge,A,B,vote", ("A", "B", "Tie", "Neither"), "A,B"),
        ("prompt,judge,first,second,vote", ("sdxl", "flux", "equal", "both bad"), "first,second"),
        ("prompt,judge,m1,m2,vote", ("1", "2", "tie", "none"), "m1,m2"),
        ("prompt,judge,Model A,Model B,vote", ("Model A", "Model B", "TIE", "none"), "Model A,Model B"),
    ],
)
def test_votes_on_pairs_are_preferences(store: Store, tmp_path: Path, header: str, votes: tuple[str, ...], pair: str) -> None:
    rows = [f"p{n},ann,sdxl,flux,{vote}" for n, vote in enumerate(votes)] + [f"p0,ben,flux,sdxl,{votes[1]}"]
    if votes[1] == "flux":
        rows[-1] = "p0,ben,flux,sdxl,sdxl"
    table = Table(store, tmp_path, "\n".join([header, *rows]) + "\n")
    read = table.aspects(item="prompt", rater="judge", value=header.rsplit(",", 1)[1], pair=pair)
    assert read == {"preference": {"p0|flux vs sdxl ann": "sdxl", "p1|flux vs sdxl ann": "flux", "p2|flux vs sdxl ann": "both",
                                   "p3|flux vs sdxl ann": "none", "p0|flux vs sdxl ben": "sdxl"}}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("p,ann,sdxl,flux,0\n", "the vote '0' names neither 'sdxl' nor 'flux'"),
        ("p,ann,sdxl,flux,0\nq,ann,sdxl,flux,1\n", "the vote '1' names neither"),
        ("p,ann,sdxl,sdxl,left\n", "both images are of 'sdxl'"),
        ("p,ann,sdxl,,left\n", "a generator of the pair is not named"),
        ("p,ann,sdxl,flux,kandinsky\n", "names neither"),
    ],
)
def test_a_vote_for_neither_image_is_refused(store: Store, tmp_path: Path, rows: str, why: str) -> None:
    table = Table(store, tmp_path, f"prompt,judge,a,b,vote\n{rows}")
    assert why in table.refused(item="prompt", rater="judge", value="vote", pair="a,b")


@pytest.mark.parametrize(
    ("header", "pair"),
    [
        ("prompt,judge,model_a,model_b,vote", "model_a,model_b"),
        ("prompt,judge,left model,right model,vote", "left model,right model"),
        ("prompt,judge,image_1,image_2,vote", "image_1,image_2"),
        ("prompt,judge,x,y,vote", "COLUMN,COLUMN"),
        ("prompt,judge,First,Second,vote", "First,Second"),
    ],
)
def test_a_preference_for_a_side_asks_whose_the_images_are(store: Store, tmp_path: Path, header: str, pair: str) -> None:
    table = Table(store, tmp_path, f"{header}\np,ann,sdxl,flux,left\nq,ann,sdxl,flux,tie\n")
    why = table.refused(item="prompt", rater="judge", value="vote", aspect="preference", scale="nominal")
    assert f"a preference is a generator; name the columns of the two generators: --pair '{pair}'" in why


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<html><table><tr><td>image</td></tr></table>", "HTML or XML (some programs call it .xls)"),
        (b"\x1f\x8b\x08\x00rest", "unpack it"),
        (b"$FL2@(#) SPSS DATA FILE", "export it from SPSS as CSV"),
        (b"%PDF-1.7", "a PDF"),
        (b"SQLite format 3\x00", "export its table as CSV"),
        (b"image,who,vote\ra,b,4\r", "lines end with CR only"),
        ('[{"image": "a"}]'.encode("utf-16"), "JSON in UTF-16"),
    ],
)
def test_what_is_no_table_is_named(store: Store, tmp_path: Path, content: bytes, why: str) -> None:
    assert why in Table(store, tmp_path, content).refused(**LONG, **STARS)


SHEET = [["image", "who", "vote"], ["a.png", "ann", "4.5"], ["b.png", "ann", "3"]]


@pytest.mark.parametrize(
    ("sheets", "options", "said"),
    [
        ({"Sheet1": SHEET}, {}, ""),
        ({"Votes": SHEET, "Notes": [["made in June"]]}, {}, "sheet 'Votes' of 2"),
        ({"Old": SHEET[:2], "New": SHEET}, {"sheet": "New"}, "sheet 'New' of 2"),
        ({"Sheet1": [["Study of June"], [], *SHEET]}, {}, "line 1 before the header passed over"),
        ({"Sheet1": [["", "", "", ""], *[["", *row] for row in SHEET]]}, {}, ""),
        ({"Sheet1": [*SHEET, ["", "", ""]], "Empty": []}, {}, ""),
    ],
)
def test_excel_is_read(store: Store, tmp_path: Path, sheets: Any, options: Any, said: str) -> None:
    table = Table(store, tmp_path, workbook(sheets), "votes.xlsx")
    assert table.read(**LONG, **SCORE, **options) == TWO
    assert said in table.said


def test_sheets_that_may_be_meant_are_listed(store: Store, tmp_path: Path) -> None:
    table = Table(store, tmp_path, workbook({"June": SHEET, "July": SHEET}), "votes.xlsx")
    assert "2 sheets: 'June', 'July'; 2 of them have these columns. Name the one to read: --sheet" in table.refused(
        **LONG, **SCORE
    )
    assert "no sheet 'May'; there are 'June', 'July'" in table.refused(**LONG, **SCORE, sheet="May")
    assert "not an Excel file" in Table(store, tmp_path, b"PK\x03\x04nonsense", "x.xlsx").refused(**LONG, **SCORE)


NAMED = {"item": "image", "rater": "who", "value": "clip"}


@pytest.mark.parametrize(
    ("document", "columns", "ratings"),
    [
        ('{"a.png": 4.5, "b.png": 3}', {"item": "name", "value": "score"}, {"a.png clip": 4.5, "b.png clip": 3.0}),
        ('{\n "a.png": 4.5,\n "b.png": 3\n}\n', {"item": "name", "value": "score"}, {"a.png clip": 4.5, "b.png clip": 3.0}),
        ('{"a.png": 4.5, "b.png": null}', {"item": "image", "rater": "metric", "value": "clip"}, {"a.png clip": 4.5}),
        ('{"a.png": {"clip": 4.5, "who": "m"}, "b.png": {"clip": 3, "who": "m"}}', NAMED,
         {"a.png m": 4.5, "b.png m": 3.0}),
        ('{"scores": [{"image": "a.png", "who": "m", "clip": 4.5}], "version": 2}', NAMED,
         {"a.png m": 4.5}),
        ('{"image": {"0": "a.png", "1": "b.png"}, "who": {"0": "m", "1": "m"}, "clip": {"0": 4.5, "1": 3}}',
         NAMED, {"a.png m": 4.5, "b.png m": 3.0}),
        ('{"image": ["a.png"], "who": ["m"], "clip": [4.5]}', NAMED, {"a.png m": 4.5}),
    ],
)  # fmt: skip
def test_a_json_object_of_names_and_scores_is_read(
    store: Store, tmp_path: Path, document: str, columns: Any, ratings: Ratings
) -> None:
    assert Table(store, tmp_path, document, "clip.json").read(**columns, **SCORE) == ratings


def test_a_json_object_with_a_name_twice_is_refused(store: Store, tmp_path: Path) -> None:
    table = Table(store, tmp_path, '{"a.png": 1,\n "a.png": 2}', "clip.json")
    assert "the name 'a.png' stands in the object twice" in table.refused(item="name", value="score", **SCORE)


# ---- the same text in other bytes


def _apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("one", "other", "merge"),
    [
        ("mäßig", _apart("mäßig"), "characters"),
        ("good", "go\u200bod", "characters"),
        ("don't know", "don\u2019t know", "characters"),
        ("good", "\uff47\uff4f\uff4f\uff44", "characters"),
        ("not bad", "not\u00a0bad", "space"),
        ("\ufeffgood", "good", "characters"),
        ("ｶﾒﾗ", "カメラ", "characters"),
    ],
)
def test_labels_raters_and_items_that_are_the_same_text_stop_the_import(
    store: Store, tmp_path: Path, one: str, other: str, merge: str
) -> None:
    for where in range(3):
        rows = [["a", "x", "good1"], ["b", "x", "good1"], ["a", "y", "bad1"], ["b", "y", "bad1"]]
        for row, text in ((rows[0], one), (rows[1], one), (rows[2], other), (rows[3], other)):
            row[where] = text
            if where == 0:
                row[1] = f"person {rows.index(row)}"
        table = Table(store, tmp_path, "\n".join(["image,who,vote", *map(",".join, rows)]) + "\n")
        kind = ("items", "raters", "labels")[where]
        assert f"{kind} differ only in how they are written" in (why := table.refused(**LONG, **LABEL))
        assert f"add --merge {merge};" in why
        merged = table.read(**LONG, **LABEL, merge=[merge])
        assert len({key.split(" ")[0] if where == 0 else key for key in merged}) < 5
        assert table.read(**LONG, **LABEL, merge=["none"])


def test_items_of_two_files_that_are_written_otherwise_stop_the_second(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("image,who,vote\n1,ann,4\nsdxl|2,ann,3\n")
    context = Context(store, tmp_path, io.StringIO(), io.StringIO())
    import_ratings(context, "a.csv", RatingRequest(**LONG, **STARS))
    (tmp_path / "b.csv").write_text("image,who,vote\n1.0,ben,4\nsdxl|2.0,ben,3\n")
    with pytest.raises(CommandError, match=r"items differ .*'1.0' and '1' \(known already\), 'sdxl|2.0' and 'sdxl|2'"):
        import_ratings(context, "b.csv", RatingRequest(**LONG, **STARS))
    import_ratings(context, "b.csv", RatingRequest(merge=("number",), **LONG, **STARS))
    assert store.query_column("select item_id from items order by 1") == ["1", "sdxl|2"]


# ---- cells that mean something else


@pytest.mark.parametrize(
    "words", [("N/A", "None", "null", "#N/A"), ("N/A",), ("null",), ("-",), ("\u2014",), ("n.a.", "?"), ("<NA>",), ("(blank)",)]
)
def test_words_for_no_rating_are_asked_about(store: Store, tmp_path: Path, words: tuple[str, ...]) -> None:
    rows = [f"i{n},x,{'good' if n % 2 else 'bad'}" for n in range(9)] + [f"j{n},x,{word}" for n, word in enumerate(words)]
    table = Table(store, tmp_path, "\n".join(["image,who,vote", *rows]) + "\n")
    why = table.refused(**LONG, **LABEL)
    assert f"{len(words)} of {9 + len(words)} values may mean that there is no rating" in why
    assert all(f"'{word}' (1)" in why for word in words)
    assert "--missing" in table.refused(**LONG, aspect="mood", scale="ordinal:bad<good")
    assert len(table.read(**LONG, **LABEL, missing=list(words))) == 9
    levels = "|".join(("good", "bad", *words))
    assert len(table.read(**LONG, aspect="mood", scale=f"nominal:{levels}")) == 9 + len(words)


def test_none_is_a_label_where_it_is_frequent(store: Store, tmp_path: Path) -> None:
    table = Table(store, tmp_path, "image,who,vote\na,x,none\nb,x,hands\nc,x,none\nd,x,text\n")
    assert table.read(**LONG, **LABEL)["a x"] == "none"
    assert "'none' (2) is taken for a label; if it means no rating, take this back and add --missing none" in table.said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"[""hands"", ""text""]"', '"[""text"", ""hands""]"'),
        ("hands;text", "text;hands"),
        ('"hands, text"', '"text, hands"'),
        ("hands|text", "text|hands"),
        ('"hands\ntext"', '"text\nhands"'),
        ("hands;text;", "text;hands;"),
    ],
)
def test_ticked_boxes_are_sets(store: Store, tmp_path: Path, one: str, other: str) -> None:
    table = Table(store, tmp_path, f"image,who,vote\na,x,{one}\na,y,{other}\nb,x,hands\nb,y,\n")
    assert "add --multiple" in table.refused(**LONG, **LABEL)
    assert table.aspects(**LONG, **LABEL, multiple=True) == {
        "mood: hands": {"a x": "yes", "a y": "yes", "b x": "yes"},
        "mood: text": {"a x": "yes", "a y": "yes", "b x": "no"},
    }
    assert "3 ratings of 2 items by 2 raters, each of 2 aspects: 'mood: hands', 'mood: text'; 1 left out" in table.said


def test_options_of_an_earlier_import_are_unticked_where_they_do_not_stand(store: Store, tmp_path: Path) -> None:
    context = Context(store, tmp_path, io.StringIO(), io.StringIO())
    for who, cell in (("ann", "hands;text"), ("ben", "hands;hands")):
        (tmp_path / f"{who}.csv").write_text(f"image,who,vote\na,{who},{cell}\n")
        import_ratings(context, f"{who}.csv", RatingRequest(multiple=True, **LONG, **LABEL))
    rows = store.query("select aspect, label from judgements where rater_id = 'ben' order by 1")
    assert [(row["aspect"], row["label"]) for row in rows] == [("mood: hands", "yes"), ("mood: text", "no")]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (("red, blue", "dark,light"), "it is not clear where an option ends"),
        (("Hands;text", "hands"), "options differ only in how they are written: 'Hands' and 'hands'"),
    ],
)
def test_options_that_cannot_be_told_apart_are_refused(store: Store, tmp_path: Path, cells: tuple[str, ...], why: str) -> None:
    rows = [f'i{n},x,"{cell}"' for n, cell in enumerate(cells)]
    assert why in Table(store, tmp_path, "\n".join(["image,who,vote", *rows])).refused(**LONG, **LABEL, multiple=True)


def test_a_rater_or_an_item_that_a_program_left_out_is_refused(store: Store, tmp_path: Path) -> None:
    for rows, column in (
        ("a,nan,4\nb,x,3\n", "who"),
        ("None,x,4\nb,x,3\n", "image"),
        ("a,#N/A,4\n", "who"),
        ("a,\u3000,4\n", "who"),
    ):
        why = Table(store, tmp_path, f"image,who,vote\n{rows}").refused(**LONG, **STARS)
        assert f"r.csv:2: column '{column}' is " in why
