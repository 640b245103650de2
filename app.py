"""Concord's one entry point: every command; without one it opens the app.

Nothing heavy is imported here: a command imports what it needs when it runs.
"""

import os

# numpy reads this when it is first imported. The matrices of statistics are narrow: a second thread that waits for the first
# doubles the work, and takes the processor from whoever else needs it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# each module adds its commands
from ui.cli import project, prompts, importing, scoring, campaigns, people, analysis, export, results  # noqa: F401, I001
from ui.cli.options import PLAYGROUND, app

__all__ = ["PLAYGROUND", "app"]

if __name__ == "__main__":
    app()
