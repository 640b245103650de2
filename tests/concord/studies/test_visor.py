"""VISOR's Tables IV and V: a study counted by hand, simulated answers to the real form, and the command."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from agreement import Estimate, Options
from agreement.suite_metrics.both_objects import Roles
from agreement.visor_study import tables
from annotation.questionnaires.base import visible
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.visor import FORM
from data.aspects import SCALES
from data.studies.visor import VISOR_PRINTED
from tests.agreement.frames import Judgement, frame, judgement
from tests.ui.small_project import concord, done

SPEC = {"a": "cow", "b": "bench", "relation": "above"}
RELATION = "cow above bench"
HEADER = "suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq"
SCALES_OF = {("sr2d", aspect): scale for aspect, scale in SCALES.items()}
POINT = Options(intervals=False)
Answers = dict[str, Any]


def row(item: str, rater: str, aspect: str, label: str, target: str | None = None, **other: Any) -> Judgement:
    index = {"suite": "sr2d", "prompt": f"sr2d/{item}", "task": None, "generator": "g", "target": target}
    return judgement(item, rater, label, **index | {"aspect": aspect} | other)


def derived(item: str, rater: str, answers: Answers, seq: int = 0, **other: Any) -> list[Judgement]:
    """The judgements of a real answer to the real form."""
    judgements = FORM.derive(FormItem("", SPEC), answers)
    return [
        row(item, rater, j.aspect, j.label or "", j.target, seq=seq, excluded=None if j.label else j.reason, **other)
        for j in judgements
    ]


def roles(items: Iterable[str]) -> dict[str, Roles]:
    return {f"sr2d/{item}": Roles("cow", "bench", True) for item in items}


def asked(rows: list[Judgement]) -> tuple[dict[tuple[str, str, str], Estimate], dict[tuple[str, str, str], Estimate]]:
    """Both tables of generator g and of real people: by question (or scorer and metric) and statistic."""
    made = tables(frame(rows), SCALES_OF, roles({each["item"] for each in rows}), POINT)
    four = {(r.people, r.aspect, r.statistic): r for r in made.questions if r.generator == "g"}
    five = {(r.people, r.rater, r.aspect): r for r in made.metrics if r.generator == "g"}
    return four, five


def answers(a: str, b: str, relations: tuple[str, ...] = (), **other: Any) -> Answers:
    here = {"quality": 3, "scene": 2, "objects": 2, "present_a": a, "present_b": b}
    if (a, b) == ("yes", "yes"):
        here |= {"relations": list(relations), "merged": "distinct"}
    return here | other


def by_hand() -> list[Judgement]:
    """Three people, five images; a scorer that has judged four of them.

    i1: all see both, above.  i2: two of three see both and both say above; the third sees no bench.
    i3: nobody sees the cow.  i4: all see both, one of three says above.  i5: two people only.
    """
    replies = {
        "i1": [
            answers("yes", "yes", ("above",)),
            answers("yes", "yes", ("above", "left of")),
            answers("yes", "yes", ("above",)),
        ],
        "i2": [answers("yes", "yes", ("above",)), answers("yes", "yes", ("above",)), answers("yes", "no", quality=4)],
        "i3": [answers("no", "yes", quality=1), answers("no", "yes", quality=2), answers("no", "yes", quality=3)],
        "i4": [answers("yes", "yes", ("left of",)), answers("yes", "yes", ("none",)), answers("yes", "yes", ("above",))],
        "i5": [answers("yes", "yes", ("above",)), answers("no", "no")],
    }
    rows = [each for item, all_ in replies.items() for n, entry in enumerate(all_) for each in derived(item, f"p{n}", entry, n)]
    # both found and above (i1), both found and not above (i2), no cow (i3), both and above (i4); i5: both and above
    for item, cow, holds in (
        ("i1", "yes", "yes"),
        ("i2", "yes", "no"),
        ("i3", "no", None),
        ("i4", "yes", "yes"),
        ("i5", "yes", "yes"),
    ):
        scored = {"kind": "scorer", "identity": None}
        rows += [row(item, "visor", "present", cow, "cow", **scored), row(item, "visor", "present", "yes", "bench", **scored)]
        rows += [row(item, "visor", "position", holds, RELATION, **scored)] if holds else []
        rows += [row(item, "visor", "correct", "yes" if holds == "yes" else "no", **scored)]
    return rows


def test_table_four_by_hand() -> None:
    four, _ = asked(by_hand())
    shares = {name: (four["real", name, "majority_share"], four["real", name, "unanimous_share"]) for _, name, _ in four}
    assert {name: (m.value, u.value, m.n_items) for name, (m, u) in shares.items()} == {
        # quality: i1, i4 all 3; i2 3 3 4; i3 1 2 3
        "Image Quality": (3 / 4, 2 / 4, 4),
        "Scene Likelihood": (1, 1, 4),
        "Num. Objects": (1, 1, 4),
        "Object A": (1, 1, 4),
        "Object B": (1, 3 / 4, 4),  # not i2
        # asked of three in i1 and i4 alone
        "Spatial Relation": (1, 1 / 2, 2),
        "Merged/Distinct": (1, 1, 2),
    }
    assert shares["Object A"][0].excluded == {"fewer_than_three": 2}
    assert shares["Spatial Relation"][0].excluded == {"fewer_than_three": 3}  # two of i2, one of i5
    assert list(shares) == [
        "Image Quality", "Scene Likelihood", "Num. Objects", "Object A", "Object B", "Spatial Relation", "Merged/Distinct",
    ]  # fmt: skip


def test_table_five_by_hand() -> None:
    _, five = asked(by_hand())
    results = {metric: (r.value, r.n_items) for (_, _, metric), r in five.items()}
    assert results == {
        "OA": (1, 4),  # i1 i2 i4 both, i3 not
        "VISOR_uncond": (2 / 4, 4),  # i1 yes yes, i2 people yes and the scorer no, i3 no no, i4 people no and the scorer yes
        "VISOR_cond": (pytest.approx(1 / 3), 3),  # i1 of i1, i2, i4; i3 has no both
    }
    assert five["real", "visor", "VISOR_cond"].excluded["fewer_than_three"] == 1
    # without a majority that sees both there is nothing to compare: i1 alone sees both here
    lone = [r for r in by_hand() if not (r["item"] in ("i2", "i4") and r["kind"] == "human")]
    for item in ("i2", "i4"):
        lone += [r for n in range(3) for r in derived(item, f"p{n}", answers("yes", "yes" if n == 0 else "no", ("above",)), n)]
    _, five = asked(lone)
    cond = five["real", "visor", "VISOR_cond"]
    assert (cond.value, cond.n_items) == (1, 1)
    assert cond.excluded["objects_missing"] == 2


def test_people_who_cannot_tell_are_no_third() -> None:
    rows = [r for n in range(2) for r in derived("i1", f"p{n}", answers("yes", "yes", ("above",)))]
    rows += derived("i1", "p2", answers("cannot_tell", "yes", quality=3))
    four, _ = asked(rows)
    assert four["real", "Object A", "majority_share"].value is None
    assert four["real", "Object A", "majority_share"].excluded == {"cannot_tell": 1, "fewer_than_three": 2}
    assert four["real", "Object B", "majority_share"].value == 1


def test_simulated_people_have_tables_of_their_own() -> None:
    rows = by_hand()
    rows += [r | {"rater": f"sim-{r['rater']}", "simulated": True, "label": r["label"]} for r in rows if r["kind"] == "human"]
    four, five = asked(rows)
    alone, five_alone = asked(by_hand())
    for (people, name, statistic), r in four.items():
        assert (r.value, r.n_items) == (
            alone["real", name, statistic].value,
            alone["real", name, statistic].n_items,
        )
        assert people in ("real", "simulated")
    assert {key[0] for key in four} == {"real", "simulated"}
    assert {key: r.value for key, r in five.items() if key[0] == "real"} == {k: r.value for k, r in five_alone.items()}
    assert five["simulated", "visor", "OA"].value == 1


def test_other_questionnaires_and_single_objects_do_not_mix_in() -> None:
    # counts of GenEval's form have a target; people who judged only those answered no question of VISOR's
    counted = [row("i1", f"p{n}", "count", "2", "cow") for n in range(3)]
    assert tables(frame(counted), SCALES_OF, roles(["i1"]), POINT).questions == ()
    with_target = asked(by_hand() + counted)[0]
    assert with_target["real", "Num. Objects", "majority_share"].n_items == 4
    entry = {"sr2d/i1": Roles("cow", None, False)}
    rows = [r for n in range(3) for r in derived("i1", f"p{n}", answers("yes", "yes", ("above",)))]
    made = tables(frame(rows), SCALES_OF, entry, POINT)
    assert "Object B" not in {r.aspect for r in made.questions}
    assert made.metrics == ()


def strict(votes: list[Any]) -> Any:
    """What more than half say, or None."""
    label, n = Counter(votes).most_common(1)[0]
    return label if 2 * n > len(votes) else None


def simulate(seed: int, images: int = 60) -> tuple[dict[str, list[Answers]], dict[str, tuple[bool, bool, bool]]]:
    """Answers as the form takes them (only visible questions), and what a scorer sees: the cow, the bench, above."""
    rng = random.Random(seed)
    replies: dict[str, list[Answers]] = {}
    seen = {}
    questions = {question.id: question for question in FORM.build(FormItem("", SPEC)).questions}
    for n in range(images):
        here = [rng.random() < 0.8, rng.random() < 0.7, rng.random() < 0.5]
        seen[f"i{n:02}"] = tuple(truth if rng.random() < 0.8 else not truth for truth in here)
        replies[f"i{n:02}"] = []
        for _ in range(rng.choice((2, 3, 3, 3, 3, 5))):
            person = [truth if rng.random() < 0.85 else not truth for truth in here]
            full: Answers = {"quality": rng.randint(1, 3), "scene": rng.randint(1, 5), "objects": rng.randint(1, 3)}
            full |= {f"present_{k}": "yes" if person[i] else "no" for i, k in enumerate("ab")}
            full |= {"relations": ["above"] if person[2] else ["none"], "merged": rng.choice(("merged", "distinct"))}
            assert set(full) == set(questions)
            replies[f"i{n:02}"].append({key: full[key] for key in visible(FORM.build(FormItem("", SPEC)), full)})
    return replies, seen  # type: ignore[return-value]


@pytest.mark.parametrize("seed", range(3))
def test_simulated_answers_against_a_restatement(seed: int) -> None:
    replies, seen = simulate(seed)
    rows = [r for item, all_ in replies.items() for n, entry in enumerate(all_) for r in derived(item, f"p{n}", entry, n)]
    scored = {"kind": "scorer", "identity": None}
    for item, (cow, bench, above) in seen.items():
        rows += [
            row(item, "m", "present", "yes" if here else "no", name, **scored)
            for name, here in (("cow", cow), ("bench", bench))
        ]
        rows += [row(item, "m", "position", "yes" if above else "no", RELATION, **scored)] if cow and bench else []
        rows += [row(item, "m", "correct", "yes" if cow and bench and above else "no", **scored)]
    random.Random(seed).shuffle(rows)
    four, five = asked(rows)

    read: dict[str, Callable[[Answers], Any]] = {
        "Image Quality": lambda entry: entry["quality"], "Num. Objects": lambda entry: entry["objects"],
        "Object A": lambda entry: entry["present_a"], "Object B": lambda entry: entry["present_b"],
        "Spatial Relation": lambda entry: "above" in entry["relations"] if "relations" in entry else None,
        "Merged/Distinct": lambda entry: entry.get("merged"),
    }  # fmt: skip
    for question, of in read.items():
        votes = [[vote for entry in all_ if (vote := of(entry)) is not None] for all_ in replies.values()]
        votes = [each for each in votes if len(each) >= 3]
        majority = sum(strict(each) is not None for each in votes) / len(votes)
        unanimous = sum(len(set(each)) == 1 for each in votes) / len(votes)
        assert four["real", question, "majority_share"].value == pytest.approx(majority, abs=1e-12)
        assert four["real", question, "unanimous_share"].value == pytest.approx(unanimous, abs=1e-12)
        assert four["real", question, "unanimous_share"].n_items == len(votes)

    def both(one: Answers) -> bool:
        return bool(one["present_a"] == one["present_b"] == "yes")

    three = {item: all_ for item, all_ in replies.items() if len(all_) >= 3}
    oa = [(strict([both(entry) for entry in all_]), seen[item][0] and seen[item][1]) for item, all_ in three.items()]
    uncond = [
        (strict([both(entry) and "above" in entry["relations"] for entry in all_]), all(seen[item]))
        for item, all_ in three.items()
    ]
    cond = [
        (strict(["above" in entry["relations"] for entry in all_ if both(entry)]), seen[item][2])
        for item, all_ in three.items()
        if seen[item][0] and seen[item][1] and strict([both(entry) for entry in all_])
    ]
    for metric, pairs in (("OA", oa), ("VISOR_uncond", uncond), ("VISOR_cond", cond)):
        pairs = [pair for pair in pairs if pair[0] is not None]
        assert 5 < len(pairs) == five["real", "m", metric].n_items
        assert five["real", "m", metric].value == pytest.approx(sum(a == b for a, b in pairs) / len(pairs), abs=1e-12)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same study as files: prompts with specs, then ratings."""
    folder = tmp_path_factory.mktemp("visor")
    rows = by_hand()
    items = sorted({r["item"] for r in rows})
    prompts = [{"prompt_id": f"sr2d/{item}", "prompt": f"a cow above a bench, {item}", "spec": SPEC} for item in items]
    (folder / "p.jsonl").write_text("\n".join(map(json.dumps, prompts)) + "\n")
    done(folder / "project", "import", "prompts", folder / "p.jsonl", "--suite", "sr2d")
    with (folder / "r.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(HEADER.split(","))
        for r in rows:
            person = "" if r["kind"] == "scorer" else "person"
            place = ["sr2d", r["prompt"], "position", "cogview2", r["item"], r["rater"], r["kind"], person]
            lines.writerow([*place, r["aspect"], r["target"] or "", SCALES[r["aspect"]], r["label"], r["seq"]])
    done(folder / "project", "import", "ratings", folder / "r.csv")
    return folder / "project"


def test_the_command_gives_both_tables(project: Path) -> None:
    document = json.loads(done(project, "reproduce", "visor", "--format", "json"))
    four, five = asked(by_hand())
    shown = {(r["question"], r["statistic"]): r for r in document["table_iv"] if r["generator"] == "cogview2"}
    assert {key: r["value"] for key, r in shown.items()} == {key[1:]: r.value for key, r in four.items()}
    quality = shown["Image Quality", "majority_share"]
    assert (quality["printed"], quality["n_items"], quality["n_ratings"]) == ("65.47", 4, 12)
    assert 0 <= quality["low"] <= quality["value"] <= quality["high"] <= 1
    metrics = {r["metric"]: r for r in document["table_v"] if r["generator"] == "cogview2"}
    assert {metric: r["value"] for metric, r in metrics.items()} == {key[2]: r.value for key, r in five.items()}
    assert metrics["VISOR_cond"]["printed"] == "75.02"
    assert {r["printed"] for r in document["table_iv"] if r["generator"] == "all"} == {None}
    table = done(project, "reproduce", "visor", "--no-intervals")
    assert "Table IV" in table
    assert "Table V\n" in table
    assert any(line.split()[3:7] == ["Image", "Quality", "majority_share", "75.00"] for line in table.splitlines())
    lines = done(project, "reproduce", "visor", "--format", "md")
    assert "| sr2d | real | cogview2 | Object B | unanimous_share | 75.00 |" in lines


def test_nothing_to_show_is_said(project: Path, tmp_path: Path) -> None:
    ran = concord(tmp_path / "empty", "reproduce", "visor")
    assert ran.status == 1
    assert ran.err.startswith("reproduce visor: nobody has answered VISOR's questions")
    assert len(ran.err.splitlines()) == 1
    assert concord(project, "reproduce", "visor", "--generator", "nothing").status == 1


def test_the_printed_numbers_are_all_there() -> None:
    assert len(VISOR_PRINTED) == 7 * 4 * 2 + 3 * 4
    assert VISOR_PRINTED["VISOR_uncond", "sd_cdm", "percent_agreement"] == "88.80"
    assert VISOR_PRINTED["Object A", "dallev2", "unanimous_share"] == "8.02"
