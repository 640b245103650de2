"""Concord's one entry point: every command; without one it opens the app.

Nothing heavy is imported here: a command imports what it needs when it runs.
"""

import os

# numpy reads this when it is first imported. The matrices of statistics are narrow: a second thread that waits for the first
# doubles the work, and takes the processor from whoever else needs it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ui.cli import PLAYGROUND, app

__all__ = ["PLAYGROUND", "app"]

if __name__ == "__main__":
    app()
