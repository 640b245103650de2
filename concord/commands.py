"""Commands of a project are run here if the project is free, else inside the app that has it open."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.common import forwarding, next_steps
from concord.common.context import Context, run_guarded
from concord.common.forwarding import COMMANDS
from data.store.core.store import Store, StoreBusy, StoreError


def execute(project: Path, name: str, parameters: Mapping[str, Any]) -> int:
    """Run a command on a project; returns the exit status."""
    # asked first: where the database was deleted or replaced under it, the app still has what was saved
    if (app := forwarding.living(project)) is not None:
        return forwarding.send(app, name, parameters, sys.stdout, sys.stderr)
    try:
        store = Store(project)
    except StoreBusy as busy:
        server = forwarding.running(project)
        if server is None:
            print(f"{name}: {busy}", file=sys.stderr)
            return 1
        return forwarding.send(server, name, parameters, sys.stdout, sys.stderr)
    except StoreError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    with store:
        for note in store.notes:
            print(f"{name}: {note}", file=sys.stderr)
        fill_default_project(store)
        return run(Context(store, Path.cwd(), sys.stdout, sys.stderr), name, parameters)


def fill_default_project(store: Store) -> None:
    """Fill the default project when it is new; whatever opens a project calls this. Other projects begin empty."""
    if store.project == next_steps.DEFAULT_PROJECT:
        from concord.importing import playground

        playground.fill_new_project(store, sys.stderr)


def run(context: Context, name: str, parameters: Mapping[str, Any]) -> int:
    """Run a command in a context; returns the exit status."""
    return run_guarded(context, name, lambda: forwarding.call(COMMANDS[name], context, parameters))
