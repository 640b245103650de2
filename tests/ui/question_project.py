"""A project whose prompts have questions, with answers to them by VQA models and by people: made by hand, without a model."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from annotation.questionnaires import tifa_vqa
from annotation.questionnaires.form import FormItem
from data.jobs.runs import Observation
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Rater
from data.store import imports, library
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers.questions import tifa
from scorers.questions.rules import AnsweredQuestion, payload_of
from tests.ui import drawn_images, explore_project, small_project

SUITE = "geneval"
GENERATORS = ("alpha", "beta", "photos")
VQA, WEAK = "tifa-playground", "tifa-weak"
Choose = Callable[[str, PromptQuestion], str]
"""What is answered to a question about an image."""


def project(path: Path, each: int = 1, size: int = 64) -> Path:
    """The same pictures by three generators, with the questions that follow from the prompts' specs; nobody has answered."""
    made, images = path / "project", drawn_images.folder(path / "images", each, size=size)
    for generator in GENERATORS:
        small_project.done(made, "import", "images", images, "--layout", "geneval", "--generator", generator)
    small_project.done(made, "import", "questions", "--from-specs")
    return made


def items(store: Store) -> list[str]:
    with store.read() as cursor:
        return [row[0] for row in cursor.execute("select item_id from items order by item_id").fetchall()]


def asked(store: Store, item: str) -> library.QuestionVersion:
    """What is asked now about an image."""
    return library.current_questions_of_items(store, [item]).get(item, library.QuestionVersion())


def answer(store: Store, rater: str, choose: Choose, about: Sequence[str] | None = None, run_id: str = "") -> None:
    """A model's answers to all that is asked now, as a run leaves them."""
    seen = []
    for item in about if about is not None else items(store):
        now = asked(store, item)
        questions = [
            AnsweredQuestion(
                question, choose(item, question), _probabilities(question, choose(item, question)), None, "likelihood"
            )
            for question in now.questions
        ]
        seen.append(Observation(item, payload_of(now.number, questions)))
    specs: dict[str, Mapping[str, object]] = {observation.item_id: {} for observation in seen}
    explore_project.add_run(store, run_id or f"0001-{rater}", rater, seen, specs, tifa.TIFA)


def _probabilities(question: PromptQuestion, chosen: str) -> tuple[float, ...]:
    rest = 0.3 / max(len(question.choices) - 1, 1)
    return tuple(0.7 if choice == chosen else rest for choice in question.choices)


def say(store: Store, person: str, choose: Choose, about: Sequence[str], **more: object) -> None:
    """A person's answers to all that is asked now about these images."""
    parts = []
    for item in about:
        now = asked(store, item)
        answers = {f"answer:{question.question_id}": choose(item, question) for question in now.questions}
        judged = tuple(tifa_vqa.FORM.derive(FormItem("", {}, 1, now.questions, (), ()), answers))
        raw = {"questions": now.number}
        ids = (str(uuid.uuid4()), item, person, tifa_vqa.NAME)
        parts.append(Annotation(*ids, answers, judged, tifa_vqa.FORM.rule_version, raw=raw, **more))  # type: ignore[arg-type]
    rater = Rater(person, "human", "person", simulated=person.startswith("simulated"))
    scales = [(SUITE, "answer", "nominal")]
    name = str(uuid.uuid4())
    imports.apply(store, [ImportBundle("answers", name, name, raters=[rater], scales=scales, annotations=parts)])


def mostly(share: float, seed: int = 0) -> Choose:
    """Right in this share of the answers, less where colours are asked for; the same question always gets the same."""

    def choose(item: str, question: PromptQuestion) -> str:
        rng = np.random.default_rng([seed, *f"{item} {question.question_id}".encode()])
        right = share + {"beta": 0.1, "photos": 0.25}.get(item.split("/")[-2], 0) - 0.15 * (question.element_type == "color")
        others = [choice for choice in question.choices if choice != question.answer]
        return question.answer if rng.random() < right else str(rng.choice(others))

    return choose


def sometimes(choose: Choose, other: Choose, share: float, seed: int = 0) -> Choose:
    """The one, but in this share of the answers the other."""

    def mixed(item: str, question: PromptQuestion) -> str:
        rng = np.random.default_rng([seed + 77, *f"{item} {question.question_id}".encode()])
        return (other if rng.random() < share else choose)(item, question)

    return mixed
