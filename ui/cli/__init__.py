"""The command line: a module for each group of commands, which add themselves to ``app`` when they are imported."""

# in the order of `--help`
from ui.cli import project, prompts, importing, scoring, campaigns, people, analysis, meta, export, results  # noqa: F401, I001
from ui.cli.options import PLAYGROUND, app

__all__ = ["PLAYGROUND", "app"]
