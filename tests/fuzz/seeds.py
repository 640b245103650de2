"""Small valid files of every kind that Concord reads; what the fuzz starts from."""
# ruff: noqa: E501 - lines of files

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from annotation.questionnaires.registry import EXAMPLE
from data.jobs import runs
from data.jobs.runs import Detection, Observation
from tests.ui.accounts_app import HASH
from tests.ui.small_project import HEADER, HEADER_LINE, METADATA

CATS: Final[dict[str, Any]] = {
    "tag": "position",
    "include": [
        {"class": "cat", "count": 1, "color": "red"},
        {"class": "dog", "count": 2, "position": ["left of", 0]},
    ],
    "exclude": [{"class": "dog", "count": 3}],
    "prompt": "a photo of two dogs left of a red cat",
}
SR2D: Final = {"a": "bicycle", "b": "car", "relation": "left"}
BOXES: Final = [
    {"label": "cat", "score": 0.9, "box": [10, 10, 60, 60], "color": "red"},
    {"label": "dog", "score": 0.8, "box": [70.5, 10, 99, 60], "color": {"brown": 0.7, "red": 0.1}},
    {"label": "dog", "score": 0.3, "box": [1, 2, 3, 4], "colors": [0.1] * 10},
]
QUESTIONS: Final = [
    {"id": "coco_1", "caption": "a gray cat", "question": "is there a cat?", "choices": ["yes", "no"], "answer": "yes",
     "element_type": "animal/human", "element": "cat", "question_id": "cat"},
    {"id": "coco_1", "caption": "a gray cat", "question": "what color is the cat?", "choices": ["gray", "red", "black", "white"],
     "answer": "gray", "element_type": "color", "element": "gray", "parents": ["cat"]},
]  # fmt: skip


def lines(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


PROMPTS: Final = lines(
    *METADATA, CATS, {"prompt_id": "mine/x", "prompt": "a red cup", "task": "t", "spec": SR2D}, {"text": "b"}
)
PROMPT_LIST: Final = document(
    [{"id": "coco_1", "caption": "a gray cat", "coco_val_id": "9"}, {"id": "drawbench_2", "caption": "b"}]
)
EVIDENCE: Final = lines(
    {"id": "one", "spec": CATS, "detections": BOXES},
    {"id": 2, "spec": SR2D, "detections": [], "prompt_id": "1103", "generator": "g"},
)
RESULTS: Final = lines(
    {"filename": "sdv2/00000/samples/0000.png", "tag": "single_object", "prompt": "a photo of a cow", "correct": True, "reason": "",
     "metadata": json.dumps(METADATA[0]), "details": json.dumps({"cow": [[1, 2, 30, 40, 0.9]]})},
    {"filename": "sdv2/00001/samples/0001.png", "tag": "colors", "prompt": "a photo of a red car", "correct": False,
     "reason": "expected red car>=1, found 0 red; and 1 blue", "metadata": METADATA[1], "details": {"car": [[1, 2, 3, 4]]}},
)  # fmt: skip
TIFA_RESULTS: Final = document(
    {
        "tifa_average": 1.0,
        "question_details": {
            "coco_1": {
                entry["question"]: {**entry, "free_form_vqa": "a cat", "multiple_choice_vqa": entry["answer"], "scores": 1}
                for entry in QUESTIONS
            }
        },
    }
)
TIFA_LINES: Final = lines(
    {"id": "coco_1", "answers": [{**entry, "chosen": entry["answer"], "free": "x"} for entry in QUESTIONS]},
    {"id": "b", "answers": []},
)
DETECTIONS: Final = document(
    {
        "1103_0": {"classes": ["bicycle", "car"], "centroid": [[1.5, 2], [3, 4]], "recall": 2, "sra": 1},
        "1103_1": {"classes": [], "centroid": [], "recall": 0, "sra": 0},
    }
)
MATCHING: Final = lines(
    {"image": "a.png", "captions": ["a red cat", "a blue cat"], "right": 0, "task": "color", "group": "g"},
    {"image": "b.png", "captions": ["one", "two", "three"], "right": "two"},
)
WINOGROUND: Final = lines(
    {"id": 0, "image_0": "a", "image_1": "b", "caption_0": "a cat on a dog", "caption_1": "a dog on a cat", "tag": "swap"}
)
ARO: Final = document(
    [
        {"image_path": "a.png", "true_caption": "the cat is red", "false_caption": "the red is cat", "bbox_x": 1, "bbox_y": 1,
         "bbox_w": 5, "bbox_h": 5, "relation_name": "on"},
        {"image": "b.png", "caption_options": ["one", "two"]},
    ]
)  # fmt: skip
MATCHING_CSV: Final = b'image,captions,caption_0,caption_1,right,task\na.png,"[""a"", ""b""]",,,0,color\nb.png,,x,y,1,\n'
COCO: Final = document(
    {
        "info": {"year": 2017},
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}, {"id": "x", "name": "car"}],
        "annotations": [{"image_id": i, "category_id": c} for i, c in ((1, 1), (1, 2), (2, 1), (3, "x"), ("4", 2))],
    }
)
_ROW: Final = {
    "HITId": "H", "Input.index": "0_0", "Input.prompt_id": "0", "Input.image_id": "0", "Input.caption": "a photo of a cow",
    "Answer.ee": "12.5", "Answer.task-quality": "4", "Answer.task-count-0": "1", "Answer.task-color-0": "black|white",
    "Answer.task-objects": "cow", "Answer.task-real-0": "3",
}  # fmt: skip
GENEVAL_STUDY: Final = "\n".join(
    (
        HEADER_LINE,
        *(",".join(row.get(name, "") for name in HEADER) for row in (_ROW, {**_ROW, "Answer.task-count-0": "1.0"})),
        "",
    )
).encode()
TIFA_STUDY: Final = document(
    {
        f"coco_{n}_sd": {"text_id": f"coco_{n}", "text": "a cat ", "image_path": "x", "human_scores": [5, 3], "human_avg": 4,
                         "CLIPScore": 0.5, "SPICE": None, "tifa_mplug": 1}
        for n in (1, 2)
    }
)  # fmt: skip
RATINGS: Final = b"image,who,value,prompt,gen,task\ni1,ann,5,a cat,g,t\ni1,ben,1,a cat,g,t\ni2,ann,3,b,,\n"
LABEL_STUDIO: Final = document(
    [
        {"id": 1, "data": {"image": "/data/upload/1/0a1b2c3d-i1.png", "value": "x"}, "predictions": [], "annotations": [
            {"completed_by": 7, "was_cancelled": False, "result": [
                {"from_name": "stars", "type": "rating", "value": {"rating": 4}},
                {"from_name": "fits", "type": "choices", "value": {"choices": ["yes"]}},
            ]},
            {"completed_by": {"id": 8, "email": "b@x.org"}, "was_cancelled": True, "result": []},
        ]},
    ]
)  # fmt: skip
ARGILLA: Final = lines(
    {"id": "r1", "fields": {"image": "i1"}, "metadata": {"gen": "g"},
     "responses": {"stars": [{"value": 4, "user_id": "ann"}, {"value": ["a", "b"], "user_id": None}]}},
    {"id": "r2", "fields": {"image": "i2"},
     "responses": [{"user_id": "ben", "status": "submitted", "values": {"stars": {"value": 2}}}, {"status": "draft"}]},
)  # fmt: skip
EXPORTED: Final = (
    b"suite,prompt,task,generator,item,rater,kind,identity,aspect,target,scale,value,seq\n"
    b"s,a cat,t,g,i1,ann,human,person,quality,,ordinal:1-5,5,1\n"
    b"s,a cat,t,g,i1,clip,scorer,,score,,interval,0.25,2\n"
    b"s,s/00001,t,g,i2,sim,simulated,person,mood,'=x,ordinal:low<mid<high,mid,3\n"
)
JUDGEMENTS: Final = (
    b"suite,prompt,task,generator,item,rater,kind,identity,simulated,aspect,target,scale,label,value,excluded,rule_version,"
    b"source_id,campaign,submitted,seq\n"
    b"s,s/1,t,g,i1,ann,human,person,false,present,cat,nominal,yes,1.0,,r-1,a1,,2026-11-20T14:30:00+00:00,1\n"
    b"s,s/1,t,g,i1,clip,scorer,,false,score,,interval,,0.25,,r-1,e1,,,2\n"
    b"s,s/1,t,g,i1,ben,human,slot,true,present,cat,nominal,,,cannot_tell,r-1,a2,,2026-11-20T14:31:00,3\n"
)
_ANSWER: Final = {
    "annotation_id": "0b7c3f3e-0000-4000-8000-000000000001", "suite": "s", "prompt": "s/00001", "task": "counting", "generator": "g",
    "item": "s/00001/g/0", "item_kind": "image", "rater": "ann", "identity": "person", "simulated": "false", "campaign": "c",
    "questionnaire": "geneval", "questionnaire_version": "1", "rule_version": "geneval-1",
    "answers": json.dumps({"objects": ["cat"], "count_0": 2, "caption_fit": 3}), "shown": json.dumps({"order": [0]}),
    "started": "2026-11-20T14:30:00+00:00", "submitted": "2026-11-20T14:31:00+00:00", "active_seconds": "12.5",
    "saw_evidence": "false", "status": "valid", "passed": "", "selected": "false", "status_before": "", "revises": "", "first": "",
    "seq": "1", "scales": "{}", "prompt_text": "two cats",
    "prompt_spec": json.dumps({"tag": "counting", "include": [{"class": "cat", "count": 2}]}), "questions": "[]",
    "images": json.dumps([{"image": "s/00001/g/0", "prompt": "s/00001", "generator": "g", "index": 0, "sha256": "0" * 64}]),
    "campaign_made": json.dumps({"title": "C", "questionnaire": "geneval", "overlap": 3, "seed": 1}),
}  # fmt: skip
_ASKED: Final = {
    **_ANSWER, "annotation_id": "0b7c3f3e-0000-4000-8000-000000000002", "questionnaire": "tifa_vqa", "seq": "2", "rater": "ben",
    "answers": json.dumps({"question_cat": "yes"}), "shown": json.dumps({"questions": 1}), "campaign": "d",
    "campaign_made": json.dumps({"title": "D", "questionnaire": "tifa_vqa", "overlap": 2, "seed": 1}),
    "questions": json.dumps([{"question_id": "cat", "text": "is there a cat?", "choices": ["yes", "no"], "answer": "yes",
                              "element_type": "animal/human", "element": "cat", "parents": []}]),
}  # fmt: skip
_REVISED: Final = {
    **_ANSWER, "annotation_id": "0b7c3f3e-0000-4000-8000-000000000003", "revises": _ANSWER["annotation_id"],
    "first": _ANSWER["annotation_id"],
}  # fmt: skip
ANSWERS_JSONL: Final = lines(_ANSWER, _REVISED, _ASKED)
QUESTIONNAIRE: Final = EXAMPLE.read_bytes()
CAMPAIGN: Final = b"""title: My study
questionnaire: geneval
suite: geneval
generator: [sdv2]
n: 2
overlap: 3
seed: 7
pass_mark: 0.8
lease_minutes: 30
gold_feedback: true
"""
KNOWN: Final = (
    b'item,role,count_0,caption_fit\ngeneval/00000/sdv2/0,gold,1,4\ngeneval/00001/sdv2/0,training,"{""any"": [1, 2]}",\n'
)
KNOWN_JSON: Final = document(
    [{"item": "geneval/00000/sdv2/0", "role": "gold", "expected": {"count_0": 1, "caption_fit": {"any": [3, 4]}}}]
)
ACCOUNTS: Final = "\n".join(
    f'[[user]]\nname = "{name}"\nrole = "{role}"\npassword = "{HASH}"\n'
    for name, role in (("anna", "annotator"), ("rosa", "admin"))
).encode()
SERVER: Final = document({"host": "127.0.0.1", "port": 1, "token": "x", "pid": 4})
WRITTEN: Final = b"""Entities: cat, mat
Activities:
About cat (animal):
Q: is there a cat?
Choices: yes, no
A: yes
Q: what color is the cat?
Choices: (A) gray (B) red, (C) 1,000 "black, white"
A: (A)
About on (spatial):
Q: where is the cat?
Choices:
- on the mat
- under it
Answer: on the mat
"""
COMPLETION: Final = document(
    {
        "choices": [{"message": {"content": "Q: is it?", "refusal": None}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3},
    }
)
OWN_SCORER: Final = b"""from concord.plugin import Scorer, Verdict
SCORER = Scorer(name="mine", version="1", summary="x", profiles={"playground": {}}, judging=frozenset(), open=print,
                judge=lambda spec, seen, settings: Verdict(()), scales={"correct": "nominal"})
"""


def picture(form: str, mode: str = "RGB", size: tuple[int, int] = (12, 8)) -> bytes:
    """A small picture with something in it; GIF and WebP are animated, JPEG and TIFF have EXIF."""
    width, height = size
    pixels = np.arange(width * height * 3, dtype=np.uint8).reshape(height, width, 3)
    image = Image.fromarray(pixels).convert(mode)
    sink, more = io.BytesIO(), dict[str, Any]()
    if form in ("GIF", "WEBP", "PNG") and mode == "RGB":
        more = {"save_all": True, "append_images": [image.rotate(180)], "duration": 5}
    if form in ("JPEG", "TIFF", "WEBP"):
        exif = Image.Exif()
        exif[0x0112] = 6
        more["exif"] = exif
    image.save(sink, form, **more)
    return sink.getvalue()


@cache
def mask() -> bytes:
    return runs.pack_mask(np.eye(8, dtype=bool))


@cache
def part() -> bytes:
    """A part of a run."""
    from tempfile import TemporaryDirectory

    from data.jobs.runs import Run, RunFolder

    vector = runs.pack_embeddings(np.ones((1, 4)))[0]
    detections = (Detection("cow", 0.9, (1, 2, 30, 40), mask(), (0.1,) * 10), Detection("car", 0.2, (1, 2, 3, 4)))
    seen = [Observation(f"geneval/00000/sdv2/{n}", {"a": n}, detections, None if n else "broken", vector) for n in range(2)]
    with TemporaryDirectory() as folder:
        from pathlib import Path

        made = RunFolder(Path(folder) / "r")
        made.create(Run("r", "geneval", "1", "playground", {}), [])
        made.write_part(0, seen)
        return made.part(0).read_bytes()


@cache
def table(columns: bytes) -> bytes:
    """A CSV text as Parquet, all texts."""
    header, *rows = [line.split(",") for line in columns.decode().split("\n") if line]
    sink = io.BytesIO()
    pq.write_table(pa.table({name: [row[k] for row in rows] for k, name in enumerate(header)}), sink)
    return sink.getvalue()
