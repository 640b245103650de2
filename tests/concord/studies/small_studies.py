"""Five published studies in small, as their files are laid out, with the traps of the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GENERATORS = ("DALLE", "SD")
# by person and sample: (consistency, quality) of DALLE, SD
PAIRS = (
    (((1, 0.5), (0.5, 0.5)), ((0.5, 1), (0, 0.5)), ((1, 1), (0.5, 0)), ((0, 0.5), (1, 1))),
    (((1, 1), (0.5, 0.5)), ((0.5, 0.5), (0.5, 0.5)), ((1, 1), (0, 0)), ((0, 0), (1, 0.5))),
    (((0.5, 0.5), (1, 0.5)), ((0, 1), (0, 0.5)), ((1, 0.5), (0.5, 0.5)), ((0.5, 0.5), (1, 1))),
)
CONSISTENCY: dict[str, list[Any]] = {"DALLE2": [[8], "8", 8.5, [1]], "SD": [[3], None, [2, 5], [9]]}
QUALITY: dict[str, list[Any]] = {"DALLE2": [[3, 8], [5, 5], [9, 9], [2, 7]], "SD": [[4], [4, 6], [1, 1], [7, 9]]}
CLIP = {"DALLE2": [0.3, 0.2, 0.25, 0.1], "SD": [0.1, 0.4, 0.2, 0.3]}


def write(path: Path, content: Any, indent: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=indent))
    return path


def _lines(entries: dict[str, Any]) -> str:
    """An object with a line for each entry; the first stands on line 1."""
    return "{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items()) + "}"


def genai_bench(folder: Path, **first: Any) -> tuple[Path, Path]:
    entries = {
        "00000": {"id": "00000", "prompt": " A cat. ", "models": {"DALLE_3": [5, 41, 4], "SDXL_Base": [2, 2, 3]}},
        "00001": {"id": "00001", "prompt": "Two dogs.", "models": {"DALLE_3": [3, 3, 4], "SDXL_Base": [1, 1, 2]}},
        "00292": {"id": "292", "prompt": "No dog.", "models": {"DALLE_3": [5, 4, 5], "SDXL_Base": [2, 1, 1]}},
    }
    entries["00000"] |= first
    images = write(folder / "genai_image_1600.json", _lines(entries).replace("{", "{\n", 1))
    return images, write(folder / "genai_skills_1600.json", {"basic": [0, 1], "advanced": [1], "counting": [1]})


def imagenhub(folder: Path, first: str = "") -> list[Path]:
    tables = []
    for person, samples in enumerate(PAIRS, 1):
        rows = [["uid", *GENERATORS]]
        for sample, cells in enumerate(samples):
            # cells are written with and without a space, as in the released files
            texts = [json.dumps(list(pair), separators=(",", ":") if person == 1 else None) for pair in cells]
            rows.append([f"sample_{sample}.jpg", *texts])
        if person == 1 and first:
            rows[1][1] = first
        tables.append(write(folder / f"Text-To-Image_rater{person}.tsv", "".join("\t".join(row) + "\n" for row in rows)))
    return tables


_UNCHANGED = object()


def viescore(folder: Path, first: Any = _UNCHANGED) -> Path:
    for generator in CLIP:
        for part, scores in (("SC", CONSISTENCY[generator]), ("PQ", QUALITY[generator])):
            entries = {
                f"sample_{n}.jpg": {
                    "score": score,
                    "reasoning": "odd shape",
                    "prompt_input": "RULES\n\nText Prompt: A black banana.\n\nFrom scale 0 to 10",
                }
                for n, score in enumerate(scores)
                if score is not None  # a judge that refused
            }
            if first is not _UNCHANGED and (generator, part) == ("DALLE2", "SC"):
                entries["sample_0.jpg"]["score"] = first
            write(folder / f"results_judge_0shot/ImagenHub_Text-Guided_IG/{generator}/{part}.json", _lines(entries))
        clip = {f"sample_{n}.jpg": {"CLIP_Score": value} for n, value in enumerate(CLIP[generator])}
        write(folder / f"results_autometrics/ImagenHub_Text-Guided_IG/{generator}.json", clip)
    return folder


def tia2(folder: Path, **first: Any) -> Path:
    labels = {
        # one yes and one no among the valid labels is a no; two of two is a yes
        "composition": {"image_0_0_0.jpg": [1, -1, 0], "image_0_1_1.jpg": [1, 1, -1]},
        "comprehensive": {"image_0_0_0.jpg": [1, 1, 0]},
        "counting": {"image_0_0_0.jpg": [0, 0, 1]},
    }
    for name, images in labels.items():
        entries = {key: {"image": key, "caption": f"{name} of a cat", "human_labels": each} for key, each in images.items()}
        if name == "composition":
            entries["image_0_0_0.jpg"] |= first
        write(folder / f"human_labels_{name}.json", _lines(entries))
    for name, share in (("composition", 0.5), ("comprehensive", 1.0), ("counting", None)):
        printed = {} if share is None else {f"{name} of a cat": {"human": share, "clip": {"auroc": 0.7}}}
        write(folder / f"alignment_scores_{name}.json", printed)
    return folder


def arena(folder: Path) -> Path:
    votes = [("a cat", "leftvote"), ("a dog", "rightvote"), ("a cat", "tievote"), ("a dog", "bothbad_vote")]
    answers: dict[str, list[tuple[str | None, bool]]] = {
        "gemini": [("[[A>B]]", True), ("[[Model B is better: [[B>A]] ]]", False), ("[[A=B]]", True), (None, False)],
        "gpt": [("[[A>B]]", True), ("[[A>B]]", False), ("[[A=B=Good]]", True), ("[[A=B=Bad]]", True)],
    }
    for judge, answer in answers.items():
        lines = [
            json.dumps({
                "idx": n, "prompt": prompt, "response": "why" if written else "", "model_vote": written, "human_vote": vote,
                "correct": marked,
            })
            for n, ((prompt, vote), (written, marked)) in enumerate(zip(votes, answer, strict=True))
        ]  # fmt: skip
        write(folder / f"{judge}_pairwise.jsonl", "\n".join(lines) + "\n")
    return folder
