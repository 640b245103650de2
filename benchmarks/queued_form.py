"""GenEval's form of Gradio's own components, whose button goes through Gradio's queue: what ``annotate.py`` compares with.

    uv run benchmarks/queued_form.py PROJECT --campaign ID --pictures FOLDER --port 7900

Every question that GenEval can ask is there from the start, hidden until a prompt asks it. Answers are checked, saved and
claimed by the same code as ours. What would cost it more is left out: questions that appear by earlier answers, drafts, undo,
skip, "Cannot tell" of colors, a second item ahead; pictures are served from where they lie.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import gradio as gr
import uvicorn
from fastapi import FastAPI

from annotation.questionnaires.base import COLORS, COUNTS, Option, Questionnaire, check
from annotation.questionnaires.geneval import CAPTION_FIT, POSITION_X, POSITION_Y, REALISM
from benchmarks.measuring import command_line
from concord.form.item_form import campaign_of, item_form
from data.aspects import CANNOT_TELL, YES
from data.store import campaign_items
from data.store.browse import contents
from data.store.campaigns import participation
from data.store.core.store import Store
from data.store.judgements import recording

BLANK: Final = "blank_image"
OBJECTS: Final = 2
"""So many objects can be asked about."""


def slots() -> dict[str, gr.components.Component]:
    """A component for each question that GenEval can ask, by the question's id, in the form's order; hidden."""
    made: dict[str, gr.components.Component] = {"objects": gr.Textbox(visible=False, elem_id="objects")}
    for k in range(OBJECTS):
        made[f"count_{k}"] = _radio(f"count_{k}", COUNTS)
        made[f"color_{k}"] = gr.CheckboxGroup([(option.label, option.value) for option in COLORS], visible=False)
        made[f"realism_{k}"] = _radio(f"realism_{k}", REALISM)
    for id_, options in (("position_x", POSITION_X), ("position_y", POSITION_Y), ("caption_fit", CAPTION_FIT)):
        made[id_] = _radio(id_, options)
    return made


def _radio(id_: str, options: Sequence[Option]) -> gr.Radio:
    choices = [*((option.label, option.value) for option in options), ("Cannot tell", CANNOT_TELL)]
    return gr.Radio(choices, visible=False, elem_id=id_)


class QueuedDesk:
    """What the form's events do."""

    def __init__(self, store: Store, campaign: str) -> None:
        self._store, self._campaign = store, campaign

    def enter(self, name: str) -> list[Any]:
        participation.enter(self._store, name)
        return [name, *self._next(name)]

    def submit(self, person: str, ticket: str, blank: bool, *values: Any) -> list[Any]:
        campaign = campaign_of(self._store, self._campaign)
        task = campaign_items.get_task(self._store, ticket)
        if campaign is None or task is None:
            raise gr.Error("This image is no longer part of the project.")
        about = item_form(self._store, campaign, task, person)
        answers = _answers(about.questionnaire, blank, values)
        checked = check(about.questionnaire, answers)
        if checked.errors:
            raise gr.Error("Some answers are missing or invalid.")
        annotation = about.annotation(person, checked.answers, annotation_id=str(uuid.uuid4()))
        recording.submit(self._store, annotation, about.form.undecided)
        return self._next(person)

    def _next(self, person: str) -> list[Any]:
        """The next item's ticket, picture, progress, and what becomes of the components."""
        campaign = campaign_of(self._store, self._campaign)
        desk = participation.next_tasks(self._store, person, self._campaign, ahead=1)
        if campaign is None or not desk.tasks:
            return ["", None, "Nothing is left for you.", False, *(gr.update(visible=False, value=None) for _ in IDS)]
        about = item_form(self._store, campaign, desk.tasks[0], person)
        questions = {question.id: question for question in about.questionnaire.questions}
        progress = f"{desk.progress.done} done, {desk.progress.remaining} to go"
        updates = [
            gr.update(
                visible=True,
                value=None,
                label=questions[id_].text + (f" “{about.task.text}”" if questions[id_].caption else ""),
            )
            if id_ in questions
            else gr.update(visible=False)
            for id_ in IDS
        ]
        return [about.task.public_id, _path(self._store, about.task.pictures[0].sha256), progress, False, *updates]


IDS: Final = (
    "objects", *(f"{kind}_{k}" for k in range(OBJECTS) for kind in ("count", "color", "realism")),
    "position_x", "position_y", "caption_fit",
)  # fmt: skip


def _answers(questionnaire: Questionnaire, blank: bool, values: Sequence[Any]) -> dict[str, Any]:
    """Answers by question; what a hidden component sends along is none."""
    shown = {question.id for question in questionnaire.questions}
    answers = {id_: value for id_, value in zip(IDS, values, strict=True) if id_ in shown}
    return answers | ({BLANK: YES} if blank else {})


@lru_cache(maxsize=10_000)
def _path(store: Store, sha256: str) -> str:
    return str(contents.pictures(store, sha256)[0])


def form(store: Store, campaign: str, limit: int | None) -> gr.Blocks:
    """The page; ``limit`` events of a kind are worked on at once, None: as many as come."""
    desk = QueuedDesk(store, campaign)
    with gr.Blocks(title="Queued form", analytics_enabled=False) as blocks:
        person = gr.State()
        ticket = gr.Textbox(visible=False)
        with gr.Row():
            name = gr.Textbox(label="Your name", elem_id="name")
            enter = gr.Button("Start", elem_id="enter")
            progress = gr.Markdown()
        with gr.Row():
            picture = gr.Image(type="filepath", label="The picture to judge", height=512, elem_id="picture")
            with gr.Column():
                answers = slots()
                blank = gr.Checkbox(label="The image is blank")
                submit = gr.Button("Submit", variant="primary", elem_id="submit")
        assert tuple(answers) == IDS
        shown = [ticket, picture, progress, blank, *answers.values()]
        options = {"concurrency_limit": limit, "show_progress": "hidden"}
        enter.click(desk.enter, [name], [person, *shown], api_name="enter", **options)
        submit.click(desk.submit, [person, ticket, blank, *answers.values()], shown, api_name="submit", **options)
    return blocks


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the form of a project until interrupted."""
    parser = command_line(__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--campaign", required=True)
    parser.add_argument("--pictures", type=Path, required=True, help="the folder in which all pictures lie")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--limit", type=int, default=0, help="events of a kind at once; 0: no limit")
    parsed = parser.parse_args(arguments)
    gr.set_static_paths([parsed.pictures])
    with Store(parsed.project) as store:
        options = {"ssr_mode": False, "run_history": False, "enable_monitoring": False, "footer_links": []}
        app = gr.mount_gradio_app(FastAPI(), form(store, parsed.campaign, parsed.limit or None), path="/", **options)
        uvicorn.run(app, host="127.0.0.1", port=parsed.port, log_level="warning")


if __name__ == "__main__":
    # before anything phones home
    os.environ |= {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    main()
