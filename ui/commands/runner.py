"""Runs a command: here if the project is free, else inside the app that has it open. One implementation either way."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from data.store.core.store import Store, StoreBusy, StoreError
from ui import teaching
from ui.commands import forward
from ui.commands.context import CommandError, Context

COMMANDS: dict[str, str] = {
    "ablate": "ui.commands.ablate:run",
    "agreement": "ui.commands.agreement:run",
    "backup": "ui.commands.backup:run",
    "campaigns archive": "ui.commands.campaigns:archive",
    "campaigns create": "ui.commands.campaigns:create",
    "campaigns delete": "ui.commands.campaigns:delete",
    "campaigns describe": "ui.commands.describing:describe",
    "campaigns list": "ui.commands.campaigns:show_all",
    "campaigns show": "ui.commands.campaigns:show",
    "campaigns start": "ui.commands.campaigns:start",
    "campaigns stop": "ui.commands.campaigns:stop",
    "doctor": "ui.commands.doctor:examine",
    "export annotations": "ui.commands.export_answers:run",
    "export datasets": "ui.commands.export_datasets:run",
    "export judgements": "ui.commands.export:judgements",
    "export manifest": "ui.commands.manifests:run",
    "export prompts": "ui.commands.prompts:export",
    "export questions": "ui.commands.questions:export",
    "export ratings": "ui.commands.export:ratings",
    "export report": "ui.commands.reporting:report",
    "export results geneval": "ui.commands.results:export_geneval",
    "export results visor": "ui.commands.results:export_visor",
    "export snapshot": "ui.commands.snapshot:run",
    "flips": "ui.commands.flips:run",
    "generate": "ui.commands.generate:run",
    "import cooccurrence": "ui.commands.cooccurrence:run",
    "import exported": "ui.commands.returning:run",
    "import images": "ui.commands.images:run",
    "import itm": "ui.commands.itm_import:run",
    "import playground": "ui.commands.playground:run",
    "import prompts": "ui.commands.prompts:run",
    "import questions": "ui.commands.questions:run",
    "import ratings": "ui.commands.ratings:run",
    "import results geneval": "ui.commands.results:import_geneval",
    "import results tifa": "ui.commands.results_tifa:import_tifa",
    "import scores": "ui.commands.scores:run",
    "import study geneval": "ui.commands.studies:geneval",
    "import study selfeval": "ui.commands.study_selfeval:run",
    "import study tifa": "ui.commands.studies:tifa",
    "import undo": "ui.commands.undo:run",
    "itm": "ui.commands.itm:run",
    "people code": "ui.commands.people:code",
    "people erase": "ui.commands.people:erase",
    "people invitations": "ui.commands.people:invited",
    "people invite": "ui.commands.people:invite",
    "people link": "ui.commands.people:link",
    "people list": "ui.commands.people:listing",
    "people pseudonym": "ui.commands.people:named",
    "people reinstate": "ui.commands.people:reinstate",
    "people revoke": "ui.commands.people:revoke",
    "people uninvite": "ui.commands.people:uninvite",
    "preferences": "ui.commands.preferences:run",
    "rebuild": "ui.commands.rebuild:run",
    "reproduce visor": "ui.commands.visor_study:run",
    "score": "ui.commands.score:run",
    "vqa": "ui.commands.vqa:run",
}
"""Every project command: its name and ``module:function``, imported when it is run. Parameters are JSON."""


def execute(project: Path, name: str, parameters: Mapping[str, Any]) -> int:
    """Run a command on a project; returns the exit status."""
    try:
        store = Store(project)
    except StoreBusy as busy:
        server = forward.running(project)
        if server is None:
            print(f"{name}: {busy}", file=sys.stderr)
            return 1
        return forward.send(server, name, parameters, sys.stdout, sys.stderr)
    except StoreError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    with store:
        for note in store.notes:
            print(f"{name}: {note}", file=sys.stderr)
        first_start(store)
        return run(Context(store, Path.cwd(), sys.stdout, sys.stderr), name, parameters)


def first_start(store: Store) -> None:
    """Fill the default project when it is new; whatever opens a project calls this. Other projects begin empty."""
    if store.project == teaching.DEFAULT_PROJECT:
        from ui.commands import playground

        playground.first_start(store, sys.stderr)


def run(context: Context, name: str, parameters: Mapping[str, Any]) -> int:
    """Run a command in a context; returns the exit status."""

    def command() -> None:
        module, function = COMMANDS[name].split(":")
        try:
            getattr(import_module(module), function)(context, **parameters)
        except Exception as error:
            if why := context.store.why_unreadable(error):
                raise CommandError(why) from error
            raise

    return guarded(context, name, command)


def guarded(context: Context, name: str, command: Callable[[], None]) -> int:
    """As ``reported``, to whoever asked for the command."""
    return reported(context.warn, name, command)


def reported(warn: Callable[[str], None], name: str, command: Callable[[], None]) -> int:
    """Do what a command does. Whatever goes wrong is one line for ``warn`` (``CONCORD_DEBUG=1``: a traceback too)."""
    try:
        command()
    except BrokenPipeError:
        # whoever read the output has had enough; click ends quietly
        raise
    except Exception as error:
        expected = isinstance(error, (CommandError, ValueError, OSError))
        said = " ".join(str(error).splitlines())
        warn(f"{name}: {said}" if expected else f"{name}: unexpected {type(error).__name__}: {said}")
        if os.environ.get("CONCORD_DEBUG"):
            warn(traceback.format_exc())
        return error.status if isinstance(error, CommandError) else 1
    return 0
