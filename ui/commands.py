"""Every project command, by name: run here if the project is free, else inside the app that has it open."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from concord.common import forwarding, next_steps
from concord.common.context import Context, run_guarded
from data.store.core.store import Store, StoreBusy, StoreError

COMMANDS: dict[str, str] = {
    "ablate": "ui.cli.analysis_tables:ablate",
    "agreement": "ui.cli.agreement_table:print_agreement",
    "backup": "concord.backups:backup",
    "campaigns archive": "concord.campaigns.commands:archive",
    "campaigns create": "concord.campaigns.commands:create",
    "campaigns delete": "concord.campaigns.commands:delete",
    "campaigns describe": "concord.campaigns.commands:describe",
    "campaigns list": "concord.campaigns.commands:list_campaigns",
    "campaigns show": "concord.campaigns.commands:show",
    "campaigns start": "concord.campaigns.commands:start",
    "campaigns stop": "concord.campaigns.commands:stop",
    "doctor": "concord.doctor:examine_open_project",
    "export annotations": "concord.exporting:export_annotations",
    "export datasets": "concord.exporting:export_datasets",
    "export judgements": "concord.exporting:export_judgements",
    "export manifest": "concord.runs.remote_runs:export_manifest",
    "export prompts": "concord.importing.prompts:export_prompts",
    "export questions": "concord.importing.prompts:export_questions",
    "export ratings": "concord.exporting:export_ratings",
    "export report": "ui.report.export:export_report",
    "export results geneval": "concord.results:export_geneval",
    "export results visor": "concord.results:export_visor",
    "export snapshot": "concord.backups:export_snapshot",
    "flips": "ui.cli.analysis_tables:print_flips",
    "generate": "concord.runs.generate:run",
    "import cooccurrence": "concord.importing.prompts:import_cooccurrence",
    "import exported": "concord.importing.exported_files:import_exported",
    "import images": "concord.importing.images:import_images",
    "import itm": "concord.importing.images:import_matching",
    "import playground": "concord.importing.playground:import_playground",
    "import prompts": "concord.importing.prompts:import_prompts",
    "import questions": "concord.importing.prompts:import_questions",
    "import ratings": "concord.importing.ratings:import_ratings",
    "import results geneval": "concord.results:import_geneval",
    "import results tifa": "concord.results:import_tifa",
    "import scores": "concord.runs.remote_runs:import_scores",
    "import study geneval": "concord.studies.imports:import_geneval",
    "import study selfeval": "concord.studies.imports:import_selfeval",
    "import study tifa": "concord.studies.imports:import_tifa",
    "import undo": "concord.importing:undo_import",
    "itm": "ui.cli.analysis_tables:print_matching",
    "library": "concord.library:write_tables",
    "people code": "concord.people:print_reentry_code",
    "people erase": "concord.people:erase",
    "people invitations": "concord.people:list_invitations",
    "people invite": "concord.people:invite",
    "people link": "concord.people:print_link",
    "people list": "concord.people:list_people",
    "people pseudonym": "concord.people:print_pseudonym",
    "people reinstate": "concord.people:reinstate",
    "people revoke": "concord.people:revoke",
    "people uninvite": "concord.people:uninvite",
    "preferences": "ui.cli.analysis_tables:print_preferences",
    "rebuild": "concord.judging:rebuild",
    "reproduce visor": "concord.studies.reproduce:reproduce_visor",
    "score": "concord.runs.score:run",
    "vqa": "ui.cli.analysis_tables:print_questions",
}
"""Every project command: its name and ``module:function``, imported when it is run. Parameters are JSON."""


def execute(project: Path, name: str, parameters: Mapping[str, Any]) -> int:
    """Run a command on a project; returns the exit status."""
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
    module, function = COMMANDS[name].split(":")
    return run_guarded(context, name, lambda: getattr(import_module(module), function)(context, **parameters))
