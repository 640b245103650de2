"""Whether a project is healthy: what is looked at needs no more than reading, so that a project which is ill stays as it is."""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from data.files import quoted, sha256_of
from data.ratings.name_matching import DIFFERENCES, alike
from data.store.backup import backups, scheduler
from data.store.backup.backups import Backup, BadBackup
from data.store.core import connections, database_file, rows, schema
from data.store.core.connections import DATABASE, Connection, first_line
from data.store.core.database_copy import database_contents
from data.store.core.database_file import AcknowledgedNumber
from data.store.core.schema import migration_files
from data.store.core.store import DatabaseMissing, Store, StoreBusy, refuse_missing

Level = Literal["ok", "note", "attention"]
_SAMPLE: Final = 40
"""So many images are read whole; of so many times more it is looked whether they are there."""
_MORE: Final = 50
_SECONDS: Final = 1.0
_OLD_DAYS: Final = 8
_SPARE: Final = 1 << 30
"""Bytes that are to be free, beside twice the database: backups and rewriting need its size once more."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing of the machine or the project that was checked.

    Attributes:
        level: ``ok``; ``note``: worth knowing; ``attention``: something is to be done.
        todo: what, in one line; empty if nothing.
    """

    area: str
    level: Level
    text: str
    todo: str = ""


def _project(level: Level, text: str, todo: str = "") -> HealthCheck:
    return HealthCheck("project", level, text, todo)


def closed(project: Path, *, everything: bool = False) -> list[HealthCheck]:
    """Look at a project that nobody has open; nothing in it is changed.

    Raises:
        StoreBusy: somebody has it open.
    """
    path = project / DATABASE
    if not path.is_file():
        if project.exists() and not project.is_dir():
            return [_project("attention", f"{project} is a file and no project's folder", "name a folder with --project")]
        try:
            refuse_missing(project)
        except DatabaseMissing as missing:
            return [_project("attention", str(missing)), *_backups(project, everything=everything, empty=True)]
        return [_project("note", f"there is no project in {project} yet", "any command with --project makes it")]
    try:
        with connections.connect(path, read_only=True, memory="2GB") as connection:
            return [*_missing_writes(connection, project), *examine(connection, project, everything=everything)]
    except duckdb.Error as error:
        if connections.is_held_elsewhere(error):
            raise StoreBusy(f"{path} is open in another process") from error
        return [_broken(project, first_line(error)), *_backups(project, everything=everything)]


def opened(store: Store, at_work: Collection[str], *, everything: bool = False) -> list[HealthCheck]:
    """Look at a project from inside; ``at_work``: its runs that somebody is at."""
    if (absence := store.absence()) is not None:
        return [_project("attention", str(absence))]
    with store.read() as cursor:
        checks = examine(cursor, store.project, at_work, everything=everything)
    backup_state = scheduler.backup_state(store)
    if backup_state is not None and backup_state.failed:
        since = f"{backup_state.since:%Y-%m-%d %H:%M} UTC" if backup_state.since else "a while"
        checks.append(
            _project("attention", f"no backup could be made since {since}: {backup_state.failed}", "make room, or see why")
        )
    return checks


def _missing_writes(connection: Connection, project: Path) -> list[HealthCheck]:
    with suppress(duckdb.Error):
        listed = backups.list_backups(backups.backup_folder(project))
        acknowledged = AcknowledgedNumber(project, schema.secret_of(connection))
        backup = listed[-1].name if listed else None
        return [
            _project("attention", line)
            for line in database_file.missing_writes(connection, acknowledged, project / DATABASE, backup)
        ]
    return []


def _broken(project: Path, why: str) -> HealthCheck:
    listed = backups.list_backups(backups.backup_folder(project))
    todo = connections.restore_hint(listed[-1].name if listed else None)
    return _project("attention", f"{project / DATABASE} cannot be opened: {why}", todo)


def examine(cursor: Connection, project: Path, at_work: Collection[str] = (), *, everything: bool = False) -> list[HealthCheck]:
    """All that there is to be said of a project."""
    try:
        version = schema.schema_version(cursor)
    except duckdb.Error as error:
        return [_broken(project, f"it is no Concord project: {first_line(error)}")]
    newest = max(migration_files())
    if version == newest:
        schema_found = _project("ok", f"the database opens; schema {version}")
    elif version > newest:
        schema_found = _project(
            "attention", f"the project has schema {version}, this version supports {newest}", "update Concord to open it"
        )
    elif version:
        text = f"the project has schema {version}; opening it brings it to {newest}, after a backup of what it is now"
        schema_found = _project("note", text)
    else:
        schema_found = _project("note", "the database is empty; opening it makes a new project of it")
    checks = [schema_found, *_disk(project)]
    if version == newest:
        checks += [*_runs(cursor, project, at_work), *_images(cursor, project, everything=everything), *_derived(cursor)]
        checks += [*_consents(cursor), *_spellings(cursor)]
    known = schema.table_names(cursor)
    n_erased = rows.value(cursor, "select count(*) from erased") if "erased" in known else 0
    lasting = database_contents(cursor).lasting() if everything else None
    there = [name for name in ("prompts", "images", "annotations", "evidence") if name in known]
    empty = not any(rows.value(cursor, f"select count(*) from {name}") for name in there)
    return checks + list(_backups(project, n_erased, lasting, everything=everything, empty=empty))


def _disk(project: Path) -> Iterator[HealthCheck]:
    free = shutil.disk_usage(project).free
    wanted = 2 * (project / DATABASE).stat().st_size + _SPARE
    if free < wanted:
        text = f"{free / 2**30:.1f} GB are free where the project is; {wanted / 2**30:.1f} GB are wanted to write it anew"
        yield _project("attention", text, "make room, or move the project")
    else:
        yield _project("ok", "there is room on the disk")


def _runs(cursor: Connection, project: Path, at_work: Collection[str]) -> Iterator[HealthCheck]:
    known = rows.dicts(cursor, "select run_id, scorer, state, folder from runs order by created")
    folders = {str(Path(row["folder"])) for row in known}
    home = project / "runs"
    there = [path for path in sorted(home.iterdir()) if path.is_dir()] if home.is_dir() else []
    orphans = [
        path
        for path in there
        if str(path.relative_to(project)) not in folders and not path.name.startswith(("generate-", "replies"))
    ]
    if orphans:
        names = _named([path.name for path in orphans])
        yield _project(
            "note", f"{_n(len(orphans), 'folder')} in runs/ of which the project knows nothing: {names}", "delete them"
        )
    broken = [row for row in known if row["state"] == "running" and row["run_id"] not in at_work]
    if broken:
        text = f"{_n(len(broken), 'run')} broken off: {_named([row['run_id'] for row in broken])}"
        yield _project("attention", text, "Runs in the studio goes on with it, or the same command `score`")
    lost = [row for row in known if row["state"] != "lost" and not (project / row["folder"]).is_dir()]
    if lost:
        text = f"the files of {_n(len(lost), 'run')} are gone: {_named([row['run_id'] for row in lost])}"
        yield _project("note", text, "numbers stay; masks are drawn no more; a backup may have them (`restore`)")
    if not (orphans or broken or lost):
        yield _project("ok", f"{_n(len(known), 'run')}, all of them as they should be")


def _images(cursor: Connection, project: Path, *, everything: bool) -> Iterator[HealthCheck]:
    n = int(rows.value(cursor, "select count(*) from images where path is not null and sha256 is not null"))
    some = "" if everything else f" using sample reservoir({_SAMPLE * _MORE} rows)"
    records = cursor.execute(
        f"select * from (select image_id, path, sha256 from images where path is not null and sha256 is not null){some}"
    ).fetchall()
    # which ones are read is left to chance, each time anew
    random.shuffle(records)
    until = time.monotonic() + _SECONDS
    missing, changed, read = [], [], 0
    for n_tried, (image_id, path, sha256) in enumerate(records):
        file = project / path
        if not file.is_file():
            missing.append(image_id)
        elif everything or (n_tried < _SAMPLE and time.monotonic() < until):
            read += 1
            if sha256_of(file) != sha256:
                changed.append(image_id)
    looked = f"{len(records):,} of {_n(n, 'image')} looked for, {read:,} of them read"
    if missing:
        text = f"{looked}: {len(missing):,} are not there any more, such as {_named(missing)}"
        yield _project("attention", text, "put the files back where they were, or `restore` a backup that has them")
    if changed:
        text = f"{looked}: {len(changed):,} are not what was imported, such as {_named(changed)}"
        yield _project("attention", text, "put the files back; what scorers and people said is about the old ones")
    if not (missing or changed):
        yield _project("ok", f"{looked}: as they were imported" if n else "no image has a file")


def _derived(cursor: Connection) -> Iterator[HealthCheck]:
    """What is made from other tables is what it is made from."""
    homeless = rows.value(
        cursor,
        "select count(*) from judgements j where not exists (select 1 from annotations a where a.annotation_id = j.source_id)"
        " and not exists (select 1 from evidence e where e.evidence_id = j.source_id)",
    )
    if homeless:
        yield _project("attention", f"{_n(homeless, 'judgement')} without what it follows from", "`rebuild` makes them anew")
    if rows.value(cursor, "select count(*) from stale"):
        yield _project("note", "rows of the listing of images are to be made anew; whoever opens the project does it")
        return
    wrong = rows.value(
        cursor,
        "select count(*) from (select item_id from items except select item_id from browse)"
        " union all select count(*) from (select item_id from browse except select item_id from items)"
        " order by 1 desc limit 1",
    )
    twice = rows.value(cursor, "select count(*) - count(distinct item_id) from browse")
    if wrong or twice:
        yield _project(
            "attention",
            f"{_n(wrong + twice, 'row')} of the listing of images differ from the items",
            "`rebuild` makes them anew",
        )
    elif not homeless:
        yield _project("ok", "judgements and rows of the listing of images fit what they are made from")


_FILE_NAME: Final = re.compile(r"\S*\.(markdown|text|html?|pdf|docx?)|.*\.(md|txt)", re.IGNORECASE)


def _consents(cursor: Connection) -> Iterator[HealthCheck]:
    """Campaigns whose people agree to a file's name: `campaigns create --consent` once took it for the text."""
    query = "select campaign_id, state, settings ->> 'consent' as consent from campaigns order by created, campaign_id"
    named = [row for row in rows.dicts(cursor, query) if _FILE_NAME.fullmatch((row["consent"] or "").strip())]
    if named:
        texts = _named([f"{row['campaign_id']} ({row['consent'].strip()[:60]})" for row in named])
        level: Level = "note" if all(row["state"] == "archived" for row in named) else "attention"
        text = f"people agree to a file's name and not to its text in {_n(len(named), 'campaign')}: {texts}"
        yield _project(level, text, "put the text in its place (Campaigns, Settings); people are then asked to agree again")


_NAMES: Final = {
    "labels of one aspect": "select distinct t.suite || '/' || j.aspect, j.label from judgements j join items t using (item_id)"
    " where j.label is not null and j.target is null",
    "people": "select '', rater_id from raters where kind = 'human' and not simulated",
    "scorers": "select '', rater_id from raters where kind = 'scorer'",
    "items": "select suite, item_id from items where item_id not in (select image_id from images)",
}
"""Names by their kind: each with what it has to differ within."""
_TEXTS: Final = "select suite, text from prompts"


def _spellings(cursor: Connection) -> Iterator[HealthCheck]:
    """Names that an import would stop at today, in a project that has them already; they stay as they are."""
    for kind, query in _NAMES.items():
        yield from _alike(cursor, kind, query, DIFFERENCES)
    yield from _alike(cursor, "prompts", _TEXTS, ("space", "characters"))


def _alike(cursor: Connection, kind: str, query: str, differences: Collection[str]) -> Iterator[HealthCheck]:
    within: dict[str, list[str]] = {}
    for scope, name in cursor.execute(query).fetchall():
        within.setdefault(scope, []).append(name)
    groups = [group for names in within.values() for group in alike(names, differences)]
    if groups:
        pairs = [" and ".join(quoted(name) for name in group) for group in groups]
        yield _project(
            "note",
            f"{kind} differ only in how they are written: {_named(pairs)}",
            "if they are the same, undo the import of one of them and import it again with --merge",
        )


def _backups(
    project: Path, n_erased: int = 0, lasting: Any = None, *, everything: bool, empty: bool = False
) -> Iterator[HealthCheck]:
    all_backups = backups.list_backups(backups.backup_folder(project))
    if not all_backups:
        if not empty:
            yield _project("attention", "there is no backup", "`backup` makes one; so does the app, once a day")
        return
    for backup in all_backups if everything else all_backups[-1:]:
        try:
            backups.check_backup(backup, files=everything)
        except BadBackup as error:
            yield _project("attention", str(error), f"delete {backup.path}, and make another with `backup`")
            return
    yield from _age(all_backups[-1], lasting)
    with_erased = [backup.name for backup in all_backups if backup.manifest.erased < n_erased]
    if with_erased:
        text = f"{_n(len(with_erased), 'backup')} may still hold somebody who was erased: {_named(with_erased)}"
        yield _project("attention", text, "`people erase` once more, or open the app, which does it by itself")


def _age(last: Backup, lasting: Any) -> Iterator[HealthCheck]:
    days = (datetime.now(UTC) - last.manifest.made).days
    when = "today" if days == 0 else f"{_n(days, 'day')} ago"
    if days < 0:
        yield _project("note", f"the last backup, {last.name}, is from the future: a clock went back")
    elif days > _OLD_DAYS and lasting is not None and lasting == last.manifest.contents.lasting():
        yield _project("ok", f"the last backup was made {when}, and nothing has changed since")
    elif days > _OLD_DAYS:
        yield _project("attention", f"the last backup was made {when}", "`backup` makes one; so does the app, once a day")
    else:
        yield _project("ok", f"the last backup was made {when}, and is whole")


def _n(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _named(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")
