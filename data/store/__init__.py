"""The project's database: the only package that speaks to DuckDB.

``core`` is under everything: it opens, migrates, writes and filters. ``browse_index``, ``campaign_items``, ``erased`` (names),
``library`` (prompts and questions), ``judgements``, ``imports``, ``runs`` and ``campaigns`` build on it in this order;
``browse`` and ``analysis`` read; ``backup`` copies and restores; ``people`` lets in and erases. ``project_health`` checks all.
"""

from __future__ import annotations

from pathlib import Path

from data.store import browse_index
from data.store.backup.backups import backup_folder, list_backups, make_backup
from data.store.core.store import Backups, Store


def _latest(project: Path) -> str | None:
    backups = list_backups(backup_folder(project))
    return backups[-1].name if backups else None


# backups and the browse index stand on the core, which opens projects; here they meet
Store.backups = Backups(_latest, lambda connection, project, why: make_backup(connection, project, why, beside=False).path)
Store.projections = (browse_index.fill,)
