"""What Browse takes of the server with a million images and ten raters: pages, facets, strip, rows by prompt, each order.

    uv run benchmarks/browse.py [--images 1000000]

The store is made in the database itself. Every view is asked of the server's own routes several times; printed are wall clock
and processor time, median and worst. Then: memory through 200 views, and what the wide rows cost (bytes, seconds, and what an
answer that comes in waits). Wide rows kept up to date are asserted equal to those made anew.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest import mock
from urllib.parse import urlencode

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import duckdb
from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from benchmarks.measuring import Timing, command_line, machine, resident, tell, timed
from data.records import Annotation, Judgement
from data.store import browse_index
from data.store.browse import index_refresh
from data.store.core import rows
from data.store.core.store import Store
from data.store.judgements import recording
from ui.web.api import browsing, inspection

PEOPLE: Final = ("ann", "bob", "cyd")
JUDGES: Final = ("geneval", "visor", "vqa-a", "vqa-b", "vqa-c")
"""Scorers that say yes or no; the last two have scores, too."""
SCORERS: Final = (*JUDGES, "clipscore", "selfeval")
SCORED: Final = ("vqa-b", "vqa-c", "clipscore", "selfeval")
TARGET_MS: Final = 300
ROUNDS: Final = 5
VIEWS: Final = 200
ANSWERS: Final = 100
_TASKS: Final = ("counting", "colors", "position", "single_object", "two_object")

Query = tuple[tuple[str, str], ...]
PLACE: Final[Query] = (("suite", "geneval"),)
CHANGES: Final[dict[str, Query]] = {
    "suite": PLACE,
    "task": (("task", "counting"),),
    "generator": (("generator", "generator-3"),),
    "object": (("object", "object-7"),),
    "colour": (("color", "red"),),
    "count": (("count", "3"),),
    "relation": (("relation", "left of"),),
    "a scorer's verdict": (("says", "geneval:no"),),
    "people's verdict": (("people", "yes"),),
    "certainty": (("certainty", "majority"),),
    "disagreement": (("differs", "geneval:missed"),),
    "scorers differ": (("differs", "scorers"),),
    "tag": (("tag", "odd"),),
    "text": (("q", "object-12 generator-4"),),
    "range": (("range", "clipscore:0.4..0.6"),),
    "the issue's example": (("task", "counting"), ("generator", "generator-2"), ("says", "geneval:no"), ("people", "yes")),
    "five facets": (
        ("task", "counting"), ("object", "object-7"), ("people", "yes"), ("says", "visor:no"), ("says", "geneval:no"),
    ),
}  # fmt: skip
ORDERS: Final[dict[str, Query]] = {
    "prompt": (("order", "prompt"),),
    "lowest": (("order", "lowest"), ("rater", "clipscore"), ("by", "score")),
    "highest": (("order", "highest"),),
    "split": (("order", "split"),),
    "differs": (("order", "differs"), ("rater", "geneval")),
    "confidence": (("order", "confidence"), ("rater", "vqa-b")),
    "likert": (("order", "likert"), ("rater", "clipscore")),
    "recent": (("order", "recent"),),
}


# u(n, salt) looks like chance in [0, 1) and is the same every time.
_TABLES: Final = f"""
create or replace temp macro u(n, salt) as (hash(n * 1000 + salt) % 1000003) / 1000003.0;

create or replace temp table made as
select n, 'geneval/' || lpad((n // 100)::varchar, 5, '0') as prompt_id, 'generator-' || (n // 10) % 10 as generator,
       prompt_id || '/' || generator || '/' || n % 10 as item_id, n % 10 as idx, {list(_TASKS)}[1 + (n // 100) % 5] as task,
       u(n, 1) < 0.6 as truth
from range(?) r(n);

create or replace temp macro asked(k, more) as '{{"class":"object-' || k || '","count":' || more || '}}';
insert into prompts select prompt_id, 'geneval', task, task || ' of object-' || (p % 80) || ' and object-' || (p % 79),
    '{{"tag":"' || task || '","include":[' || case task
        when 'counting' then asked(p % 80, 2 + p % 3)
        when 'colors' then asked(p % 80, '1,"color":"' || ['red', 'green', 'blue', 'black'][1 + (p % 4)::int] || '"')
        when 'position' then asked(p % 79, 1) || ',' || asked(
            p % 80, '1,"position":["' || ['left of', 'right of', 'above', 'below'][1 + (p % 4)::int] || '",0]')
        else asked(p % 80, 1) end || ']}}', null
from (select distinct prompt_id, task, n // 100 as p from made) order by p;
insert into images (image_id, prompt_id, generator, idx, path, sha256)
    select item_id, prompt_id, generator, idx, 'images/' || n, sha256(n::varchar) from made order by n;
insert into items select item_id, 'image', 'geneval', prompt_id, task, generator, md5(item_id), null from made order by n;
insert into item_members select item_id, item_id, 0, null from made order by n;
insert into scales values ('geneval', 'correct', 'nominal', null), ('geneval', 'score', 'interval', null),
    ('geneval', 'caption_fit', 'ordinal:1-4', null);
insert into raters select unnest({list(PEOPLE)}), 'human', 'person', null, '{{}}', false, null;
insert into raters select unnest({list(SCORERS)}), 'scorer', null, '1', '{{}}', false, null;
"""
# Each person has answered on two images of five, each scorer has looked at all and could not at one of two hundred.
_PERSON: Final = """
create or replace temp table answers as
select item_id, {who} || n as annotation_id, (truth = (u(n, 10 + {k}) < 0.85))::integer as yes,
       1 + floor(u(n, 20 + {k}) * 2 + truth::int * 2)::integer as fit, {first} + n as seq
from made where u(n, 30 + {k}) < 0.4;
insert into annotations (annotation_id, campaign_id, item_id, rater_id, questionnaire, answers, raw, started, submitted,
    active_seconds, saw_evidence, status, revises, root_id, seq, import_id, passed, selected, status_before)
select annotation_id, 'default', item_id, {who}, 'direct', '{{}}', null, null,
    timestamptz '2026-01-01 00:00:00+00', null, false, 'valid', null, annotation_id, seq, null, null, null, null
from answers order by seq;
insert into judgements select item_id, {who}, 'correct', null, ['no', 'yes'][1 + yes], yes, null, annotation_id, '1', seq
from answers order by seq;
insert into judgements select item_id, {who}, 'caption_fit', null, fit::varchar, fit, null, annotation_id, '1', seq
from answers order by seq;
"""
_SCORER: Final = """
create or replace temp table looked as
select item_id, {who} || n as evidence_id, u(n, 50 + {k}) < 0.005 as failed, {first} + n as seq,
       (truth = (u(n, 60 + {k}) < 0.8))::integer as yes, u(n, 70 + {k}) * 0.7 + truth::int * 0.3 as score
from made;
insert into evidence (evidence_id, item_id, rater_id, payload, seq, failed)
    select evidence_id, item_id, {who}, '{{}}', seq, case when failed then 'unreadable' end from looked order by seq;
"""
_SAYS: Final = """
insert into judgements select item_id, {who}, 'correct', null, ['no', 'yes'][1 + yes], yes, null, evidence_id, '1', seq
from looked where not failed order by seq;
"""
_SCORES: Final = """
insert into judgements select item_id, {who}, 'score', null, null, score, null, evidence_id, '1', seq
from looked where not failed order by seq;
"""


def _fill(connection: duckdb.DuckDBPyConnection, images: int) -> None:
    create, *rest = [part for part in _TABLES.split(";") if part.strip()]
    made, *rest = rest
    connection.execute(create)
    connection.execute(made, [images])
    for part in rest:
        connection.execute(part)
    for k, who in enumerate((*PEOPLE, *SCORERS)):
        texts = [_PERSON] if who in PEOPLE else [_SCORER, *([_SAYS] * (who in JUDGES)), *([_SCORES] * (who in SCORED))]
        for text in texts:
            connection.execute(text.format(who=f"'{who}'", k=k, first=(k + 1) * images))
    connection.execute(f"create or replace sequence statement_seq start {(len(PEOPLE) + len(SCORERS) + 1) * images}")
    connection.execute(
        "insert into taggings (tagging_id, item_id, tag, tagged, made_by, moment)"
        " select 't', item_id, 'odd', true, 'ann', current_timestamp from made where n % 10007 = 0"
    )
    for table in ("made", "answers", "looked"):
        connection.execute(f"drop table {table}")


def fill(store: Store, images: int) -> float:
    """The store, without wide rows; seconds."""
    start = time.perf_counter()
    with store.read() as cursor:
        cursor.execute("drop index evidence_item")
        for index in ("annotations_item", "annotations_rater"):
            cursor.execute(f"drop index {index}")
        _fill(cursor, images)
        cursor.execute("create index evidence_item on evidence (item_id)")
        cursor.execute("create index annotations_item on annotations (item_id)")
        cursor.execute("create index annotations_rater on annotations (rater_id)")
        cursor.execute("checkpoint")
    return time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class ViewTiming:
    """Milliseconds of a view asked several times: wall clock and of a processor, median and worst."""

    wall: float
    worst: float
    cpu: float
    worst_cpu: float

    @classmethod
    def of(cls, timings: Sequence[Timing]) -> ViewTiming:
        wall, cpu = [1000 * timing.wall for timing in timings], [1000 * timing.cpu for timing in timings]
        return cls(statistics.median(wall), max(wall), statistics.median(cpu), max(cpu))

    def __str__(self) -> str:
        return f"{self.wall:>9.0f}{self.worst:>9.0f}{self.cpu:>9.0f}{self.worst_cpu:>9.0f}"


def app_of(store: Store) -> TestClient:
    """The routes that Browse asks."""
    app = FastAPI()
    for router in (browsing.router, inspection.router):
        app.include_router(router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return TestClient(app)


def views(store: Store) -> dict[str, list[str]]:
    """What is measured by name: the addresses that the page asks one after the other."""

    def both(query: Query) -> list[str]:
        return [f"/api/studio/{route}?{urlencode(query)}" for route in ("items", "facets")]

    middle = store.query_value("select max(item_id) from items where item_id < 'geneval/05000'")
    addresses = {"first page: items and facets": both(())}
    addresses |= {f"facet: {name}": both(query) for name, query in CHANGES.items()}
    addresses |= {f"order: {name}": [both(query)[0]] for name, query in ORDERS.items()}
    addresses["strip"] = [f"/api/studio/strip?{urlencode((('of', 'clipscore'), ('task', 'counting')))}"]
    addresses["rows by prompt"] = ["/api/studio/rows?"]
    addresses["rows by prompt, of a disagreement"] = [f"/api/studio/rows?{urlencode(CHANGES['disagreement'])}"]
    addresses["page 5,000"] = ["/api/studio/items?page=5000"]
    addresses["neighbours"] = [f"/api/studio/neighbours?{urlencode((('id', middle), ('people', 'yes')))}"]
    return addresses


def fetch(client: TestClient, addresses: Sequence[str]) -> None:
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, answer.text


def answered(store: Store, items: Sequence[str], n: int) -> list[float]:
    """Milliseconds that each of n answers waits until it is on disk."""
    waits = []
    for k in range(n):
        judgement = Judgement("correct", "yes", 1.0, None, None)
        answer = Annotation(
            annotation_id=str(uuid.uuid4()), item_id=items[k % len(items)], rater_id="dan", questionnaire="direct", answers={},
            judgements=(judgement,), rule_version="1", campaign_id="default",
        )  # fmt: skip
        waits.append(1000 * timed(partial(recording.submit, store, answer))[1].wall)
        time.sleep(0.01)
    return waits


def submitted(store: Store, n: int) -> list[str]:
    """What an answer waits, without wide rows and with them kept in the background."""
    with store.read() as cursor:
        items = [row[0] for row in cursor.execute("select item_id from items using sample 200").fetchall()]
    nothing = mock.Mock(return_value=None)
    with mock.patch.object(browse_index, "mark_stale", nothing), mock.patch.object(browse_index, "mark_stale_where", nothing):
        without = answered(store, items, n)
    with closing(index_refresh.IndexRefresher(store)):
        with_them = answered(store, items, n)
    lines = []
    for name, seconds in (("without wide rows", without), ("with wide rows kept", with_them)):
        tenth = statistics.quantiles(seconds, n=10)[-1]
        lines.append(
            f"an answer {name}: median {statistics.median(seconds):.1f} ms, 90 % {tenth:.1f} ms, worst {max(seconds):.1f} ms"
        )
    return lines


def costs(store: Store) -> list[str]:
    """Seconds that wide rows take to make, all and a part of them, and their bytes."""
    _, made = timed(lambda: store.change(browse_index.remake, shown=False))
    with store.read() as cursor:
        cursor.execute("checkpoint")
        n = int(rows.value(cursor, "select count(*) from browse"))
        blocks = "select count(distinct block_id) from pragma_storage_info('browse') where block_id >= 0"
        size = int(rows.value(cursor, blocks)) * 262144
        # beyond what is made one by one, as after a part of a run
        some = max(1, n // 20)
        before = _sums(cursor)
    sample = f"select item_id from items using sample reservoir({some} rows) repeatable (1)"
    store.change(lambda connection: browse_index.mark_stale_where(connection, sample))
    _, again = timed(lambda: index_refresh.refresh(store))
    with store.read() as cursor:
        assert _sums(cursor) == before
    return [
        f"wide rows: {n:,} in {made.wall:.1f} s ({made.cpu:.1f} s of a processor), {size / 1e6:.0f} MB on disk;"
        f" {some:,} of them again in {again.wall:.1f} s ({again.cpu:.1f} s)"
    ]


def _sums(cursor: duckdb.DuckDBPyConnection) -> Any:
    """One number for all rows, whatever order they lie in."""
    return cursor.execute("select count(*), sum(hash(browse)::hugeint) from browse").fetchone()


def measured(store: Store, rounds: int, most_views: int) -> list[str]:
    """Each view, then memory through many of them."""
    client, by_view = app_of(store), views(store)
    lines = [f"{'milliseconds of the server':38}{'median':>9}{'worst':>9}{'CPU':>9}{'worst':>9}"]
    timings = {}
    for name, addresses in by_view.items():
        fetch(client, addresses)
        timings[name] = ViewTiming.of([timed(partial(fetch, client, addresses))[1] for _ in range(rounds)])
        lines.append(f"{name:38}{timings[name]}")
    within = sum(timing.wall < TARGET_MS for timing in timings.values())
    lines += ["", f"{within} of {len(timings)} views under {TARGET_MS} ms (median of wall clock)"]
    before, every = resident(), list(by_view.values())
    for k in range(most_views):
        fetch(client, every[k % len(every)])
    lines.append(f"memory: {before:,.0f} MB before {most_views} views, {resident():,.0f} MB after")
    return lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make a store, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=1_000_000, help="a multiple of 1,000 (default 1,000,000)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each view is asked (default {ROUNDS})")
    parser.add_argument("--views", type=int, default=VIEWS, help=f"through how many memory is watched (default {VIEWS})")
    parser.add_argument("--answers", type=int, default=ANSWERS, help=f"how many come in, twice (default {ANSWERS})")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "project") as store:
        seconds = fill(store, options.images)
        counts = {
            table: store.query_value(f"select count(*) from {table}") for table in ("annotations", "evidence", "judgements")
        }
        lines = [
            f"{options.images:,} images, {len(PEOPLE)} people with {counts['annotations']:,} answers, {len(SCORERS)} scorers"
            f" with {counts['evidence']:,} looks, {counts['judgements']:,} judgements; made in {seconds:.0f} s",
            machine("duckdb"),
            "",
            *costs(store),
            "",
            *measured(store, options.rounds, options.views),
            *submitted(store, options.answers),
        ]
    return tell(lines)


if __name__ == "__main__":
    main()
