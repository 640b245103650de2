"""JSON routes of runs: what scorers would do, begun; runs paused, resumed, cancelled, removed; and what is at work now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from concord.common import wording
from concord.open_project import OpenProject
from concord.runs import model_downloads, run_manager
from concord.runs.requests import ScoreRequest
from concord.runs.run_details import noun
from concord.runs.scoring_offer import ScoringChoice, scoring_offer
from data.selection import Selection
from scorers import registry
from ui.components.addresses import page_address
from ui.web.api import NothingBody, refusing, whole_number

_Name = Annotated[str, Field(max_length=1000)]
_Number = Annotated[str, Field(max_length=20)]
ACTIONS: Final[Mapping[str, Callable[[OpenProject, str], str]]] = {
    "pause": run_manager.pause,
    "resume": run_manager.resume,
    "cancel": run_manager.cancel,
    "again": run_manager.retry,
    "sooner": run_manager.move_up,
    "remove": run_manager.remove,
}
"""What can be done with a run."""


DOWNLOAD_ACTIONS: Final[Mapping[str, Callable[[str], None]]] = {
    "stop": model_downloads.stop,
    "again": model_downloads.again,
    "close": model_downloads.close,
}
"""What can be done with a download."""


class DownloadBody(BaseModel):
    """A download, by the scorer and the profile that need it, and what is to become of it."""

    name: _Name
    action: Literal["stop", "again", "close"]


class ScoreBody(BaseModel):
    """Scorers, each as ``NAME PROFILE``, and what they are to look at; ``profile`` takes the place of a scorer's own.

    Numbers are as they are typed; what is empty is as usual.
    """

    scorers: list[_Name] = Field(default_factory=list, max_length=50)
    profile: list[_Name] = Field(default_factory=list, max_length=50)
    suite: _Name = ""
    generator: _Name = ""
    device: Annotated[str, Field(max_length=200)] = ""
    batch: _Number = ""
    limit: _Number = ""


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio/runs``."""
    routes = APIRouter(prefix="/api/studio/runs")

    @routes.post("/plan")
    def plan(body: ScoreBody) -> dict[str, Any]:
        """What the button would do, in words, and its label."""
        with refusing(422, ValueError):
            offers = [scoring_offer(store, choice) for choice in _choices(body)]
        left = sum(offer.left for offer in offers)
        waits = any(offer.waits for offer in offers) or sum(offer.left > 0 for offer in offers) > 1
        label = offers[0].label if len(offers) == 1 else "Score images"
        return {"text": " ".join(offer.text for offer in offers), "label": label, "possible": left > 0, "waits": waits}

    @routes.post("/start")
    def start(body: ScoreBody) -> dict[str, str]:
        """Have scorers wait in the queue, one after the other; returns the address where they are watched."""
        with refusing(422, ValueError):
            choices = _choices(body)
            requests = [(choice, choice.request()) for choice in choices]
        if not requests:
            raise HTTPException(422, "Tick a scorer first.")
        errors = [_start(store, choice, request) for choice, request in requests]
        if all(errors):
            raise HTTPException(409, wording.sentence("; ".join(errors)))
        return {"go": page_address("add/runs")}

    @routes.post("/download")
    def download(body: DownloadBody) -> dict[str, bool]:
        """Stop the download of a scorer's models, try it again, or forget that it failed."""
        with refusing(409, ValueError):
            DOWNLOAD_ACTIONS[body.action](body.name)
        return {"done": True}

    @routes.get("/work")
    def work() -> dict[str, Any]:
        """The run at work, in words, with the share of it that is done; empty where none is."""
        busy = run_manager.active_runs(store)
        rows = [row for row in run_manager.run_rows(store) if row.run_id in busy] if busy else []
        views = [run_manager.run_view(store, row) for row in rows[:_MOST_AT_WORK]]
        active = next((view for view in views if view.is_active), None)
        if active is None:
            for fetched in model_downloads.all_downloads():
                if fetched.state == "running":
                    text = f"{fetched.name.partition(' ')[0]}: {fetched.text}"
                    return {"text": text, "share": fetched.done / max(1, fetched.total), "waiting": len(views)}
            return {"text": "", "share": 0.0, "waiting": len(views)}
        row = active.row
        text = f"{row.rater_id} {active.done:,} of {wording.count(row.n_items, noun(active))}"
        return {"text": text, "share": active.done / max(1, row.n_items), "waiting": len(views) - 1}

    @routes.post("/{run}/{action}")
    def act(run: str, action: str, _: NothingBody) -> dict[str, bool]:
        """Pause, resume, cancel, try again, bring forward or remove a run."""
        if action not in ACTIONS:
            raise HTTPException(404, "There is no such action.")
        if error := ACTIONS[action](store, run):
            raise HTTPException(409, wording.sentence(error))
        return {"done": True}

    return routes


_MOST_AT_WORK: Final = 50


def _start(store: OpenProject, choice: ScoringChoice, request: ScoreRequest) -> str:
    """Have a scorer wait in the queue, after the download of what it lacks; returns what went wrong."""
    start = partial(run_manager.start, store, request, choice.selection.to_dict())
    return "" if model_downloads.begin(choice.scorer, choice.profile, start) else start()


def _choices(body: ScoreBody) -> list[ScoringChoice]:
    """Return the chosen runs.

    Raises:
        ValueError: a scorer, a profile or a number is none.
    """
    selection = Selection(**{name: (value,) for name, value in (("suite", body.suite), ("generator", body.generator)) if value})
    profiles = dict(_scorer_and_profile(text) for text in body.profile)
    chosen = dict(_scorer_and_profile(text) for text in body.scorers)
    return [
        ScoringChoice(
            scorer,
            profiles.get(scorer, profile),
            selection,
            body.device,
            whole_number(body.batch, "images at once"),
            whole_number(body.limit, "at most"),
        )
        for scorer, profile in chosen.items()
    ]


def _scorer_and_profile(text: str) -> tuple[str, str]:
    scorer, _, profile = text.partition(" ")
    known = registry.get(scorer)
    if profile not in known.profiles:
        raise ValueError(f"{scorer} has no such profile")
    return scorer, profile
