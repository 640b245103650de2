"""``score judge`` against an endpoint on this machine that fails, stalls, refuses, limits rates and answers nonsense."""

from __future__ import annotations

import base64
import io
import json
import math
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest
from PIL import Image

from concord.comparison import preferences
from concord.runs import run_manager, run_session
from concord.runs.run_details import run_details
from concord.studies.judges import judges_of
from data.jobs.runs import RunFolder
from data.selection import Selection
from data.store import runs
from data.store.core.store import Store
from data.studies.viescore import VIESCORE
from scorers import registry
from scorers.models import language_endpoint
from scorers.running.worker import work_through
from scorers.running.worker_main import attempt
from tests.concord.studies import small_studies
from tests.scorers.models.language_server import Answer, Scripted, serving
from tests.ui import small_project
from tests.ui.small_project import Ran, concord, done, query
from tests.ui.worker_threads import Control, put
from ui.pages.results.vote_numbers import position_bias
from ui.pages.trust import TrustPage

KEY = "sk-very-secret-4711"
ASKED = [
    {"question": "is there a cow?", "choices": ["yes", "no"], "answer": "yes"},
    {"question": "what is it?", "choices": ["cow", "cat", "dog"], "answer": "cow"},
]


def said(text: str, tokens: tuple[int, int] = (1000, 10), letters: dict[str, float] | None = None, **more: Any) -> Answer:
    choice: dict[str, Any] = {"message": {"content": text}, "finish_reason": "stop"}
    if letters:
        top = [{"token": token, "logprob": math.log(share)} for token, share in letters.items()]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return 200, {}, {"model": "judge-2026-11-01", "choices": [choice], "usage": usage, **more}


def question_of(body: Any) -> str:
    return str(body["messages"][0]["content"][1]["text"])


def work(path: Path, control: Control, log: TextIO) -> int:  # noqa: ARG001
    """The real worker, in a thread of this process."""
    return attempt(RunFolder(path), lambda folder: work_through(folder, control.is_asked_to_stop.is_set))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    put(monkeypatch, run_session.WORKER, work)
    monkeypatch.setenv(language_endpoint.KEY, KEY)
    monkeypatch.setattr(language_endpoint, "_FIRST_WAIT", 0.0)
    with serving(monkeypatch) as scripted:
        scripted.reply = lambda _: said("A\nIt has horns.", letters={"A": 0.75, "B": 0.25})
        yield scripted


@pytest.fixture
def prepared(project: Path, tmp_path: Path) -> Path:
    """Four images of two prompts, each with two questions."""
    images = small_project.geneval_folder(tmp_path / "sdv2")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    entries = [
        {"id": f"{k:05d}", "caption": text, "element_type": "animal/human", "element": "cow", **entry}
        for k, text in enumerate(query(project, "select text from prompts order by prompt_id"))
        for entry in ASKED
    ]
    (tmp_path / "asked.json").write_text(json.dumps(entries))
    done(project, "import", "questions", tmp_path / "asked.json", "--suite", "geneval")
    return project


def score(project: Path, server: Scripted, *sets: str, scorer: str = "judge") -> Ran:
    settings = [f"address={server.url}", "judge=judge", "price_in=2.5", "price_out=10", "timeout=0.5", *sets]
    return concord(
        project, "score", scorer, "--profile", "endpoint", *[word for setting in settings for word in ("--set", setting)]
    )


def test_answers_probabilities_reasons_and_what_it_cost(prepared: Path, server: Scripted) -> None:
    ran = score(prepared, server)
    assert ran.status == 0, ran.err
    # 8 requests of 1,000 tokens in and 10 out: 8,000 * 2.5 / 1e6 + 80 * 10 / 1e6
    assert "8 requests, 8,000 tokens in, 80 out, 0.0208 in all" in ran.err
    assert re.search(r"at most 8 requests to judge at http://\S+, roughly [\d,]+ tokens in and 320 out, 0\.\d+ in all", ran.err)
    assert (
        query(prepared, "select label from judgements where aspect = 'answer' order by item_id, target") == ["yes", "cow"] * 4
    )
    assert query(prepared, "select value from judgements where aspect = 'score'") == [1.0] * 4
    payload = json.loads(query(prepared, "select payload from evidence")[0])
    assert [entry["free"] for entry in payload["answers"]] == ["It has horns."] * 2
    assert payload["answers"][0]["probabilities"] == pytest.approx([0.75, 0.25])
    with Store(prepared) as store:
        (row,) = runs.listed(store)
        facts = dict(run_details(store, run_manager.run_view(store, row)).facts)
    assert facts["asks"].endswith(f"judge at {server.url}")
    assert "8 requests, 8,000 tokens in, 80 out, 0.0208 in all" in facts["cost"]
    (settings,) = set(query(prepared, "select settings from raters where kind = 'scorer'"))
    assert {"price_in", "budget", "timeout"}.isdisjoint(json.loads(settings))
    assert {"address", "judge", "temperature", "prompt", "image_size"} <= set(json.loads(settings))
    content = server.seen[0][1]["messages"][0]["content"]
    assert content[0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert content[1]["text"].endswith("?\nA. yes\nB. no") or content[1]["text"].endswith("?\nA. cow\nB. cat\nC. dog")


def test_other_prices_are_no_other_rater_and_nothing_is_asked_twice(prepared: Path, server: Scripted) -> None:
    assert score(prepared, server).status == 0
    again = score(prepared, server, "price_in=5")
    assert (again.status, len(server.seen)) == (0, 8)
    with Store(prepared) as store:
        (row,) = runs.listed(store)
    with Store(prepared) as store:
        assert run_manager.remove(store, row.run_id) == ""
    made_anew = score(prepared, server)
    assert made_anew.status == 0
    assert len(server.seen) == 8
    assert "0 requests, 0 tokens in, 0 out, 0.0000 in all" in made_anew.err
    # another day is another rater, and all is asked anew
    assert score(prepared, server, "date=2026-12-01").status == 0
    assert len(server.seen) == 16


def test_every_image_ends_judged_or_with_its_reason(prepared: Path, server: Scripted) -> None:
    """Image by image of one kind: busy and then well, nonsense, filtered, silent for ever."""
    images: dict[str, int] = {}
    tries: Counter[tuple[int, str]] = Counter()

    def reply(body: Any) -> Answer:
        url, text = body["messages"][0]["content"][0]["image_url"]["url"], question_of(body)
        number = images.setdefault(url, len(images))
        tries[number, text] += 1
        if "what is it" in text:
            return said("B", (100, 1))
        if number == 0:
            return (429, {"Retry-After": "0"}, {}) if tries[number, text] == 1 else said("A.", (100, 1))
        if number == 1:
            return said("I would rather talk about the weather.", (100, 7))
        if number == 2:
            status, headers, content = said("", (100, 0))
            content["choices"][0]["finish_reason"] = "content_filter"
            return status, headers, content
        # it stalls, and then it is overloaded
        return (0, {}, b"") if tries[number, text] == 1 else (503, {}, {"error": {"message": f"overloaded, {KEY}"}})

    server.reply = reply
    ran = score(prepared, server, "at_once=1")
    assert ran.status == 1
    assert "3 images judged" in ran.out
    assert "the endpoint did not answer: HTTP 503: overloaded, (the key)" in ran.err
    # 4 + 3 replies that cost 100 tokens each, 4 + 1 + 7 written; six attempts that cost nothing are one request
    assert "8 requests, 700 tokens in, 12 out, 0.0019 in all" in ran.err
    results = query(prepared, "select coalesce(label, reason) from judgements where aspect = 'answer' order by 1")
    assert results == ["cat", "cat", "cat", "unanswered", "unanswered", "yes"]
    assert sorted(map(str, query(prepared, "select coalesce(value::text, reason) from judgements where aspect = 'score'"))) == [
        "0.5", "unanswered", "unanswered",
    ]  # fmt: skip
    why = [entry["failed"] for (text,) in zip(query(prepared, "select payload from evidence where failed is null"), strict=True)
           for entry in json.loads(text).get("unanswered", ())]  # fmt: skip
    assert sorted(why) == [
        "its reply names none of the choices: 'I would rather talk about the weather.'",
        "the endpoint's content filter refused it",
    ]
    # what failed is tried again, and nothing else
    before = len(server.seen)
    server.reply = lambda _: said("A", (100, 1))
    assert score(prepared, server, "at_once=1").status == 0
    assert len(server.seen) == before + 1


def test_a_stopped_run_goes_on_from_what_was_paid_for(prepared: Path, server: Scripted) -> None:
    calls = 0

    def reply(_: Any) -> Answer:
        nonlocal calls
        calls += 1
        return said("A") if calls <= 3 else (401, {}, {"error": {"message": f"bad key {KEY}"}})

    server.reply = reply
    ran = score(prepared, server, "at_once=1")
    assert ran.status == 1
    assert "does not accept the key (HTTP 401: bad key (the key))" in ran.err
    assert "3 requests, 3,000 tokens in, 30 out, 0.0078 in all" in ran.err
    server.reply, server.seen = lambda _: said("A"), []
    again = score(prepared, server, "at_once=1")
    assert again.status == 0, again.err
    assert len(server.seen) == 5
    assert "8 requests, 8,000 tokens in, 80 out, 0.0208 in all" in again.err


def test_one_process_alone_asks(server: Scripted) -> None:
    perceiver = registry.get("judge").open({**registry.get("judge").profiles["endpoint"], "address": server.url}, "cpu")
    with pytest.raises(ValueError, match="is asked by one process"):
        perceiver.remember(None)  # type: ignore[attr-defined]


def test_a_budget_stops_the_run_and_more_goes_on(prepared: Path, server: Scripted) -> None:
    ran = score(prepared, server, "at_once=1", "budget=0.0105")
    assert ran.status == 1
    assert "the budget of 0.0105 is spent; --set budget= with more goes on from here" in ran.err
    # a reply costs 0.0026 and is reckoned at 0.0101 (all its tokens at the dearer price) before it is asked for
    assert 1 <= len(server.seen) <= 4
    assert score(prepared, server, "at_once=1", "budget=1").status == 0
    assert len(server.seen) == 8


def test_an_endpoint_that_changes_its_model_is_noticed(prepared: Path, server: Scripted) -> None:
    def reply(_: Any) -> Answer:
        status, headers, body = said("A")
        return status, headers, body | ({"model": "judge-2027"} if len(server.seen) > 5 else {})

    server.reply = reply
    ran = score(prepared, server, "at_once=1")
    assert ran.status == 1
    assert "the endpoint has changed its model: 'judge-2027' replies now, 'judge-2026-11-01' did before" in ran.err
    # still the same: what the other model replied is not taken for the first one's
    assert score(prepared, server, "at_once=1").status == 1
    server.reply = lambda _: said("A")
    assert score(prepared, server, "at_once=1").status == 0


def test_samples_stand_in_for_probabilities(prepared: Path, server: Scripted) -> None:
    server.reply = lambda body: said("A" if body["seed"] < 3 else "B")
    ran = score(prepared, server, "samples=4", "temperature=0.7", "logprobs=0", "score=geometric")
    assert ran.status == 0, ran.err
    assert len(server.seen) == 32
    assert query(prepared, "select value from judgements where aspect = 'score'") == pytest.approx([0.75] * 4)


def test_a_grade_by_a_rubric(prepared: Path, server: Scripted) -> None:
    server.reply = lambda _: said("H\nOne horn is missing.", letters={"H": 0.5, "K": 0.5})
    assert score(prepared, server, scorer="rubric").status == 0
    assert query(prepared, "select value from judgements where aspect = 'score'") == pytest.approx([8.5] * 4)
    assert "a photo of a cow" in "".join(question_of(body) for _, body in server.seen)
    # asked about a car of another colour it should say no: its yes-bias is what it does not lose (docs/statistics.md)
    server.reply, server.seen = lambda _: said("A", letters={"A": 1.0}), []
    assert score(prepared, server, "flip=color", scorer="rubric").status == 0
    assert len(server.seen) == 2
    assert all("a photo of a red car" not in question_of(body) for _, body in server.seen)
    assert query(prepared, "select distinct target || ' ' || value from judgements where aspect = 'flipped'") == ["color 0.0"]


def test_viescore_s_judges_and_a_rubric_stand_in_the_same_tables(project: Path, server: Scripted, tmp_path: Path) -> None:
    """Released judges, and our own of the same images: on people's aspect and scale, in every table and page."""
    viescore = small_studies.viescore(tmp_path / "viescore")
    small_studies.imagenhub(tmp_path / "imagenhub")
    done(project, "import", "study", "viescore", viescore, tmp_path / "imagenhub")
    for generator in small_studies.GENERATORS:
        for n in range(4):
            small_project.png(tmp_path / generator / f"{n:05d}" / "samples" / "0000.png", f"#{n}0{len(generator)}000", (64, 64))
        folder = tmp_path / generator
        done(project, "import", "images", folder, "--layout", "geneval", "--suite", "imagenhub", "--generator", generator)
    server.reply = lambda _: said("CFJABDGK"[len(server.seen) - 1])
    assert score(project, server, "at_once=1", scorer="rubric").status == 0
    assert all("A black banana." in question_of(body) for _, body in server.seen)
    ours, released = "rubric-judge", "judge_0shot SC"
    about = ("--aspect", "semantic_consistency")

    value = small_project.agreement(project, *about)["raters"]
    whole = {row["rater"]: row for row in value if row["generator"] == "all" and row["statistic"] == "pearson"}
    assert {ours, released} <= whole.keys()
    assert (whole[ours]["n_items"], whole[released]["n_items"]) == (8, 7)
    ranked = json.loads(done(project, "rank", *about, "--no-intervals", "--format", "json"))["rows"]
    assert {ours, released} <= {row["scorer"] for row in ranked if row["value"] is not None}
    with Store(project) as store:
        asked = {"suite": "imagenhub", "aspect": "semantic_consistency", "statistic": "pearson"}
        shown = str(TrustPage(store).drawn(list(asked.items()), whole=False)["content"])
        (judged, _) = judges_of(store, "viescore", VIESCORE)
    assert {ours, released} <= {each.name for each in judged.judges}
    assert all(name in shown for name in (ours, released))

    def tested(*more: str) -> dict[str, dict[str, Any]]:
        rows = json.loads(done(project, "alt-test", *about, "--no-intervals", "--format", "json", *more))["rows"]
        return {row["scorer"]: row for row in rows if row["generator"] == "all"}

    assert all("not on people's scale" in tested()[name]["reason"] for name in (ours, released))
    graded = tested("--graded", ours, "--graded", released)
    assert all(graded[name]["on_scale"] and "not on" not in graded[name]["reason"] for name in (ours, released))
    assert not graded["CLIP_Score"]["on_scale"]


@pytest.fixture
def paired(project: Path, tmp_path: Path) -> Path:
    """Four pairs of a red image and a blue one, as an A/B campaign makes them."""
    for generator, color in (("left-out", "white"), ("reds", "red"), ("blues", "blue")):
        rows = [["path", "prompt"], *([f"{n}.png", f"scene {n}"] for n in range(4))]
        for n in range(4):
            small_project.png(tmp_path / generator / f"{n}.png", color, (40 + n, 40))
        (tmp_path / generator / "images.csv").write_text("\n".join(map(",".join, rows)))
        done(project, "import", "images", tmp_path / generator, "--layout", "csv", "--generator", generator)
    done(project, "campaigns", "create", "ab", "--questionnaire", "ab", "--generator", "reds", "--generator", "blues")
    return project


def test_pairs_are_judged_in_both_orders_and_what_changes_is_a_tie(paired: Path, server: Scripted) -> None:
    """By scene: red wherever it stands; the left one; the left one, or no difference where red is left; no difference."""

    def reply(body: Any) -> Answer:
        text, url = question_of(body), body["messages"][0]["content"][0]["image_url"]["url"]
        both = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        red_left = both.getpixel((5, 5)) == (255, 0, 0)
        said_of = {0: "A" if red_left else "B", 1: "A", 2: "C" if red_left else "A", 3: "C\nAlike."}
        return said(next(answer for n, answer in said_of.items() if f"scene {n}" in text))

    server.reply = reply
    ran = score(paired, server, "at_once=1", scorer="pairwise")
    assert ran.status == 0, ran.err
    assert len(server.seen) == 8
    assert re.search("at most 8 requests .* 8 requests, 8,000 tokens in, 80 out", " ".join(ran.err.split()))
    assert all("A. left B. right C. no difference" in " ".join(question_of(body).split()) for _, body in server.seen)
    labels = "select label from judgements where aspect = '{}' order by item_id"
    assert query(paired, labels.format("preference")) == ["reds", "tie", "tie", "tie"]
    assert query(paired, labels.format("order")) == ["kept", "left", "mixed", "kept"]

    payload = json.loads(done(paired, "preferences", "--format", "json"))
    (bias,) = payload["orders"]
    assert {name: bias[name] for name in ("kept", "left", "right", "mixed")} == {"kept": 2, "left": 1, "right": 0, "mixed": 1}
    assert (bias["value"], bias["n_items"], bias["rater"]) == (0.5, 4, "pairwise-judge")
    assert bias["low"] < 0.5 < bias["high"]
    (votes,) = [row for row in payload["votes"] if row["task"] == "all"]
    assert {name: votes[name] for name in ("a", "b", "a_wins", "b_wins", "tie")} == {
        "a": "blues", "b": "reds", "a_wins": 0, "b_wins": 1, "tie": 3,
    }  # fmt: skip
    with Store(paired) as store:
        (row,) = preferences.rows(store, Selection()).orders
    shown = position_bias(row)
    assert "on 2 of 4 pairs: 0.50 (" in shown
    assert "the left side on 1, to the right on 0" in shown
    # nothing is asked twice, and all is judged again from what was seen
    assert "nothing to do" in score(paired, server, "at_once=1", scorer="pairwise").out
    done(paired, "rebuild")
    assert query(paired, labels.format("preference")) == ["reds", "tie", "tie", "tie"]
    assert len(server.seen) == 8


def test_a_pair_with_an_order_without_answer_is_no_vote(paired: Path, server: Scripted) -> None:
    server.reply = lambda _: said("A" if len(server.seen) % 2 else "I cannot say.")
    ran = score(paired, server, "at_once=1", scorer="pairwise")
    assert ran.status == 1
    assert "names none of the choices" in ran.err
    assert query(paired, "select count(*) from judgements where aspect in ('preference', 'order')") == [0]


def test_a_project_without_pairs_says_how_to_make_some(prepared: Path, server: Scripted) -> None:
    ran = score(prepared, server, scorer="pairwise")
    assert ran.status == 1
    assert "campaigns create NAME --questionnaire ab" in ran.err


def test_the_key_is_nowhere(prepared: Path, server: Scripted, tmp_path: Path) -> None:
    refused: Answer = (401, {}, {"error": {"message": f"bad key {KEY}"}})
    server.reply = lambda _: refused if len(server.seen) == 2 else said(f"A\nYour key is {KEY}.")
    printed = [score(prepared, server, "at_once=1") for _ in range(3)]
    assert "Your key is (the key)." in "".join(query(prepared, "select payload from evidence"))
    assert {header for header, _ in server.seen} == {f"Bearer {KEY}"}
    exports = [tmp_path / "r.csv", tmp_path / "j.csv"]
    done(prepared, "export", "ratings", "-o", exports[0])
    done(prepared, "export", "judgements", "-o", exports[1])
    files = [*(path for path in prepared.rglob("*") if path.is_file()), *exports]
    assert {"concord.duckdb", "run.json", "manifest.jsonl", "r.csv"} <= {path.name for path in files}
    assert any(path.parent.name == "replies" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert [ran for ran in printed if KEY in ran.out + ran.err] == []


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (["judge="], "name the endpoint"),
        (["address=https://me:secret@host/v1"], "holds a name, a password or a query"),
        (["samples=3"], "several samples need a temperature"),
        (["prompt=hello"], "prompt must hold {question} and {options}"),
        (["price_in=0", "price_out=0", "budget=1"], "a budget needs price_in and price_out"),
        (["date=tomorrow"], "date must be a day"),
        (["at_once=0"], "at_once must be between 1 and 64"),
        (["score=best"], "score must be one of share, arithmetic, geometric"),
    ],
)
def test_settings_that_make_no_sense(prepared: Path, server: Scripted, settings: list[str], why: str) -> None:
    ran = score(prepared, server, *settings)
    assert ran.status == 2
    assert why in ran.err
    assert server.seen == []


def test_a_worker_that_is_killed_has_paid_for_nothing_twice(
    prepared: Path, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of its own, which its sixth request kills."""
    monkeypatch.undo()
    monkeypatch.setenv(language_endpoint.KEY, KEY)

    def reply(_: Any) -> Answer:
        if len(server.seen) == 6:
            (progress,) = prepared.glob("runs/*/worker.lock")
            (attempt,) = (progress.parent / "attempts").glob("*.json")
            os.kill(int(attempt.stem.rpartition("-")[2]), signal.SIGKILL)
        return said("A")

    server.reply = reply
    ran = score(prepared, server, "at_once=1")
    assert ran.status == 0, ran.err
    assert "SIGKILL" in ran.err
    # the sixth was on its way
    assert len(server.seen) == 9
    assert "8 requests" in ran.err


def test_drift_asks_old_images_again_as_another_rater(prepared: Path, server: Scripted) -> None:
    assert score(prepared, server).status == 0
    (rater,) = query(prepared, "select distinct rater_id from evidence")
    # since then it takes everything for a cat
    server.reply, server.seen = lambda body: said("B" if "what is it" in question_of(body) else "A"), []
    prices = ("--set", "price_in=2.5", "--set", "price_out=10")
    ran = concord(prepared, "drift", rater, "--n", "3", "--day", "2026-12-01", *prices)
    assert ran.status == 0, ran.err
    assert len(server.seen) == 6
    assert "3 images judged by judge-judge[date=2026-12-01]" in ran.out
    assert re.search(r"same answers: 0\.500 \(0\.\d+ to 0\.\d+\), 6 questions", ran.out)
    # the same again costs nothing
    again = concord(prepared, "drift", rater, "--n", "3", "--day", "2026-12-01", "--format", "json")
    assert again.status == 0, again.err
    assert len(server.seen) == 6
    rows = {row["statistic"]: row for row in json.loads(again.out)["rows"]}
    assert (rows["same_answers"]["value"], rows["same_answers"]["n"], rows["same_answers"]["n_items"]) == (0.5, 6, 3)
    assert concord(prepared, "drift", "nobody").status == 2
