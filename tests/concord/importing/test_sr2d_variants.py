"""SR2D's variants at the command line: written, imported, and judged by VISOR's rules and summary as SR2D is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import app
from data.prompts import sr2d_suite
from tests.concord.test_evidence_files import judge, written
from tests.ui.small_project import done


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("sr2d-split", "25280 prompts of suite sr2d-split written"),
        ("sr2d-attributes --n 2", "32 prompts of suite sr2d-attributes written"),
        ("sr2d-attributes --n 2 --seed 5", "32 prompts of suite sr2d-attributes@seed5 written"),
    ],
)
def test_a_suite_is_written_and_imported(tmp_path: Path, words: str, says: str) -> None:
    file = tmp_path / "p.jsonl"
    ran = CliRunner().invoke(app.app, ["prompts", *words.split(), "-o", str(file)])
    assert (ran.exit_code, ran.stdout) == (0, f"{says} to {file}\n")
    suite = says.split()[4]
    few = tmp_path / "few.jsonl"
    few.write_text("".join(file.read_text().splitlines(keepends=True)[:20]))
    assert f"{suite}: 20 new of 20 prompts" in done(tmp_path / "project", "import", "prompts", few, "--suite", suite)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("sr2d-sentences --n 5", "sr2d-sentences is one fixed list of 25,280 prompts; leave out --seed and --n"),
        ("sr2d-attributes --n 441", "n must be from 1 to 440 and seed not negative, got n 441 and seed 0"),
        ("geneval --seed=-1", "seed and n must not be negative, got seed -1 and n 100"),
    ],
)
def test_what_a_suite_has_not_is_refused_in_a_line(tmp_path: Path, words: str, why: str) -> None:
    ran = CliRunner().invoke(app.app, ["prompts", *words.split(), "-o", str(tmp_path / "p.jsonl")])
    assert (ran.exit_code, ran.stderr) == (2, f"prompts: {why}\n")
    assert not (tmp_path / "p.jsonl").exists()


def test_the_summary_is_that_of_the_same_demands_in_sr2d(tmp_path: Path) -> None:
    """One image in which A is left of B, for each prompt of three suites that ask the same."""
    pairs = sr2d_suite.attribute_prompts(n=4)
    combination = [prompt for prompt in pairs if prompt.task == "Z, ZC"]
    numbers = [sr2d_suite.prompt_number(prompt.spec["a"], prompt.spec["b"], prompt.spec["relation"]) for prompt in combination]
    split = {prompt.prompt_id: prompt for prompt in sr2d_suite.split_sentence_prompts()}
    suites = {
        "sr2d": [sr2d_suite.numbered_prompt(number) for number in numbers],
        "split": [split[f"sr2d-split/{number:05d}"] for number in numbers],
        "attributes": combination,
    }
    lines = [
        {
            "id": f"{prompt.prompt_id}/0", "prompt_id": prompt.prompt_id, "generator": name, "spec": prompt.spec,
            "detections": [
                {"label": prompt.spec[side], "score": 0.5, "box": [20 * k, 0, 20 * k + 5, 5]} for k, side in enumerate("ab")
            ],
        }
        for name, prompts in suites.items()
        for prompt in prompts
    ]  # fmt: skip
    ran = judge("visor", "--evidence", written(tmp_path / "in.jsonl", *lines), "--summary")
    assert (ran.status, ran.err) == (0, "")
    payload = json.loads(ran.out)
    share = 100 * sum(prompt.spec["relation"] == "left" for prompt in combination) / 4
    for part in ("generators", "relations", "supercategories", "objects", "kinds"):
        assert payload[part]["sr2d"] == payload[part]["split"] == payload[part]["attributes"]
    assert (payload["generators"]["attributes"]["VISOR_cond"], payload["generators"]["attributes"]["OA"]) == (share, 100)
