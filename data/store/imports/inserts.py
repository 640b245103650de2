"""Write what imports, and others who make items or runs, bring: items with their images, runs, raters, scales."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from data.jobs.runs import Run
from data.records import Item, Rater
from data.store import erased
from data.store.core import rows
from data.store.core.connections import Connection


class ImportRefused(ValueError):
    """Nothing was written; the message says why and what to do."""


def public_id(item_id: str, secret: str) -> str:
    """A name for an item that tells nothing about it."""
    return hashlib.blake2b(item_id.encode(), key=bytes.fromhex(secret), digest_size=12).hexdigest()


def insert_import(connection: Connection, import_id: int, kind: str, name: str, sha256: str, counts: Mapping[str, int]) -> None:
    """What was imported; ``counts``: how many rows of each table are new."""
    rows.add(connection, "imports", import_id=import_id, kind=kind, name=name, sha256=sha256, counts=rows.to_json(counts))


def insert_run(
    connection: Connection,
    run: Run,
    rater_id: str,
    folder: str,
    state: str,
    n_items: int,
    import_id: int | None,
    kind: str = "score",
) -> None:
    """A run that the project does not know yet."""
    rows.add(
        connection, "runs",
        run_id=run.run_id, rater_id=rater_id, scorer=run.scorer, profile=run.profile, version=run.version,
        settings=rows.to_json(run.settings), folder=folder, state=state, n_items=n_items, import_id=import_id, kind=kind,
        device=run.device, engine=run.engine,
    )  # fmt: skip


def insert_items(connection: Connection, items: Iterable[Item], secret: str, import_id: int | None = None) -> None:
    """Items that are not there yet."""
    rows.insert(
        connection,
        "items",
        (
            {"item_id": i.item_id, "kind": i.kind, "suite": i.suite, "prompt_id": i.prompt_id, "task": i.task}
            | {"generator": i.generator, "public_id": public_id(i.item_id, secret), "import_id": import_id}
            for i in items
        ),
    )


def insert_members(connection: Connection, images: Mapping[str, Sequence[str]], import_id: int | None = None) -> None:
    """The images that new items show, by item, in their order."""
    rows.insert(
        connection,
        "item_members",
        (
            {"item_id": item_id, "image_id": image_id, "position": position, "import_id": import_id}
            for item_id, shown in images.items()
            for position, image_id in enumerate(shown)
        ),
    )


def insert_raters(connection: Connection, raters: Sequence[Rater], import_id: int | None) -> int:
    known = rows.existing(connection, "raters", "rater_id", ["kind", "identity", "simulated"], [r.rater_id for r in raters])
    new: dict[str, Rater] = {}
    for rater in raters:
        stored = known.get(rater.rater_id)
        described = (rater.kind, rater.identity, rater.simulated)
        if stored and (stored["kind"], stored["identity"], stored["simulated"]) != described:
            identity = stored["identity"] or stored["kind"]
            raise ImportRefused(
                f"the name '{rater.rater_id}' belongs to a {identity} in this project already; choose another name"
            )
        if not stored:
            new[rater.rater_id] = rater
    erased.refuse(connection, (rater.rater_id for rater in new.values() if rater.kind == "human"))
    rows.insert(
        connection, "raters", (asdict(r) | {"settings": rows.to_json(r.settings), "import_id": import_id} for r in new.values())
    )
    return len(new)


def insert_scales(connection: Connection, scales: Sequence[tuple[str, str, str]], import_id: int | None) -> None:
    """Scales as (suite, aspect, scale), those that are new.

    Raises:
        ImportRefused: the suite judges the aspect on another.
    """
    for suite, aspect, scale in sorted(set(scales)):
        stored = rows.first(connection, "select scale from scales where suite = ? and aspect = ?", [suite, aspect])
        if stored and stored["scale"] != scale:
            raise ImportRefused(
                f"suite '{suite}' judges '{aspect}' on the scale {stored['scale']}, the import on {scale}: "
                "one aspect has one scale; give the import another --suite or --aspect"
            )
        if not stored:
            rows.add(connection, "scales", suite=suite, aspect=aspect, scale=scale, import_id=import_id)
