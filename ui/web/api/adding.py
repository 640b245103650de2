"""JSON routes that bring something into the project: files that were uploaded become a reading, which is changed and stored;
imports are undone; prompts are written and images generated from them.

Only somebody at this machine may name a path on it (``Visitor.local``); everybody else uploads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, Field

from concord.common.context import CommandError
from concord.importing import adding, readings, uploads
from concord.importing.rating_request import RatingRequest
from concord.importing.readings import Choices, Reading, Source
from concord.importing.undo import take_back
from concord.importing.upload_folders import UploadsFull, received_file
from concord.open_project import OpenProject
from concord.runs import run_manager
from concord.runs.requests import GenerateRequest
from ui.components.addresses import page_address
from ui.web.api import NothingBody, refusing, whole_number
from ui.web.auth.authorization import visitor_of

MOST_FILES = 500
"""Files of an upload that one request names."""
_Name = Annotated[str, Field(max_length=1000)]
_Id = Annotated[str, Field(max_length=64)]
_Kind = Literal["images", "prompts", "ratings", "study"]
_Number = Annotated[str, Field(max_length=20)]
_NO_READING = "This was stored or left meanwhile; bring the files again."
_LOCAL_ONLY = "Only somebody at this machine can name a folder on it. Upload files instead."


class UploadedFile(BaseModel):
    """A file that Gradio's upload route took: the name that it gave, and the file's path as the browser knows it."""

    name: _Name
    path: Annotated[str, Field(min_length=1, max_length=2000)]


class FilesBody(BaseModel):
    """Files of an upload; ``upload``: the one that they belong to, empty for a new one."""

    upload: _Id = ""
    files: list[UploadedFile] = Field(min_length=1, max_length=MOST_FILES)


class ReadBody(BaseModel):
    """What is to be read: an upload, a path on this machine, or prompts as they are typed."""

    upload: _Id = ""
    path: Annotated[str, Field(max_length=4000)] = ""
    text: Annotated[str, Field(max_length=200_000)] = ""
    kind: _Kind | None = None


class ChoicesBody(BaseModel):
    """What somebody says of a reading: names of generators in the tree's order, prompts one a line, columns of ratings."""

    read: _Id
    suite: Annotated[str, Field(max_length=200)] = ""
    generator: list[_Name] = Field(default_factory=list, max_length=1000)
    prompts: Annotated[str, Field(max_length=200_000)] | None = None
    ratings: dict[Annotated[str, Field(max_length=50)], _Name] = Field(default_factory=dict, max_length=20)


class ReadingBody(BaseModel):
    read: _Id


class AgainBody(ReadingBody):
    kind: Literal["prompts", "ratings"]


class UndoImportBody(BaseModel):
    """Numbers of imports; the newest is undone first."""

    number: list[Annotated[int, Field(ge=1, le=1 << 31)]] = Field(min_length=1, max_length=100)


class GenerateBody(BaseModel):
    """A request for images of a suite's prompts; numbers as they are typed, empty for the usual ones."""

    suite: Annotated[str, Field(min_length=1, max_length=200)]
    generator: Annotated[str, Field(min_length=1, max_length=1000)]
    n: _Number = ""
    limit: _Number = ""
    device: Annotated[str, Field(max_length=200)] = ""


class SuiteBody(BaseModel):
    suite: Annotated[str, Field(min_length=1, max_length=200)]


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio/add``."""
    routes = APIRouter(prefix="/api/studio/add")
    every = readings.readings_of(store)

    def reading_of(reading_id: str) -> Reading:
        reading = every.get(reading_id)
        if reading is None:
            raise HTTPException(404, _NO_READING)
        return reading

    def begun(find: Callable[[], Source], *, at_once: bool = False) -> dict[str, str]:
        return {"go": page_address("add", read=every.begin(find, at_once=at_once))}

    @routes.post("/files")
    def files(body: FilesBody) -> dict[str, str]:
        """Add uploaded files to an upload; returns its id."""
        with refusing(400, CommandError, ValueError, FileNotFoundError):
            received = [(received_file(store.project, file.name), file.path) for file in body.files]
            try:
                return {"upload": uploads.receive(store, body.upload or None, received)}
            except UploadsFull as full:
                raise HTTPException(507, str(full)) from full

    @routes.post("/read")
    def read(request: Request, body: ReadBody) -> dict[str, str]:
        """Begin to read; returns the address where what was read is shown."""
        if body.upload:
            return begun(lambda: readings.uploaded_source(store, body.upload, body.kind))
        if body.path.strip():
            caller = visitor_of(request)
            if caller is None or not caller.local:
                raise HTTPException(403, _LOCAL_ONLY)
            return begun(lambda: readings.path_source(store, body.path, body.kind))
        with refusing(400, CommandError):
            source = readings.written_prompts(store, body.text)
        return begun(lambda: source)

    @routes.post("/choose")
    def choose(body: ChoicesBody) -> dict[str, bool]:
        """Change what is said of a reading; it is read again."""
        reading = reading_of(body.read)
        every.choose(reading, _choices(reading, body))
        return {"changed": True}

    @routes.post("/store")
    def store_it(body: ChoicesBody) -> dict[str, bool]:
        """Store a reading as it is chosen now."""
        reading = reading_of(body.read)
        every.store_reading(reading, _choices(reading, body))
        return {"storing": True}

    @routes.post("/again")
    def again(body: AgainBody) -> dict[str, str]:
        """Read the same file as something else."""
        source = reading_of(body.read).source
        if source is None:
            raise HTTPException(404, _NO_READING)
        return begun(lambda: readings.table_source(store, source, body.kind))

    @routes.post("/leave")
    def leave(body: ReadingBody) -> dict[str, str]:
        """Forget a reading and its files."""
        if (reading := every.get(body.read)) is not None:
            every.drop(reading)
        return {"go": page_address("add")}

    @routes.post("/undo")
    def undo(body: UndoImportBody) -> dict[str, str]:
        """Take imports back."""
        numbers = sorted(set(body.number), reverse=True)
        with refusing(409, CommandError):
            for number in numbers:
                take_back(store, number)
        what = f"Import {numbers[0]} is" if len(numbers) == 1 else f"{len(numbers)} imports are"
        return {"said": f"{what} undone: all that was brought has left the project."}

    @routes.post("/playground")
    def playground(_: NothingBody) -> dict[str, str]:
        """Fill the project with the playground."""
        return begun(lambda: adding.playground_source(store), at_once=True)

    @routes.post("/study")
    def study(body: SuiteBody) -> dict[str, str]:
        """Bring a published study that needs no files."""
        with refusing(404, CommandError):
            source = adding.study_without_files(store, body.suite)
        return begun(lambda: source, at_once=True)

    @routes.post("/suite")
    def suite(body: SuiteBody) -> dict[str, str]:
        """Read a published suite's prompts."""
        with refusing(404, CommandError):
            source = adding.published_prompts(store, body.suite)
        return begun(lambda: source)

    @routes.post("/questions")
    def questions(_: NothingBody) -> dict[str, str]:
        """Make the questions that the prompts' specs give."""
        with refusing(409, CommandError):
            return {"said": adding.questions_from_specs(store)}

    @routes.post("/generate")
    def generate(body: GenerateBody) -> dict[str, str]:
        """Begin to generate images; returns the address where the run is watched."""
        with refusing(422, ValueError):
            usual = GenerateRequest(suite=body.suite, generator=body.generator)
            request = replace(
                usual,
                n=whole_number(body.n, "images a prompt") or usual.n,
                limit=whole_number(body.limit, "prompts at most"),
                device=body.device or usual.device,
            )
        error = run_manager.start_generation(store, request)
        if error:
            raise HTTPException(409, f"{error[0].upper()}{error[1:]}.")
        return {"go": page_address("add/runs")}

    return routes


def _choices(reading: Reading, body: ChoicesBody) -> Choices:
    source, choices = reading.source, reading.choices
    if source is None:
        return choices
    choices = replace(choices, suite=body.suite.strip() or choices.suite)
    if source.tree is not None:
        names = [name.strip() for name in body.generator]
        generators = {old: new for old, new in zip(source.tree.generators, names, strict=False) if new}
        typed = choices.prompts if body.prompts is None else readings.read_lines(body.prompts, source.tree.keys)
        return replace(choices, generators=generators, prompts=typed)
    if choices.ratings is not None and body.ratings:
        return replace(choices, ratings=_rating_request(choices.ratings, body.ratings))
    return choices


def _rating_request(before: RatingRequest, values: dict[str, str]) -> RatingRequest:
    said: dict[str, Any] = {name: values[name] or None for name in adding.RATING_FIELDS if name in values}
    if said.get("kind") not in ("human", "scorer"):
        said.pop("kind", None)
    return replace(before, **said, new_items=values.get("new_items") == "1")
