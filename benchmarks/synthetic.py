"""A large project made in the database itself: images, people's answers, scorers' verdicts and scores; all of it invented."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from data.store.store import Store, run

SUITE, ASPECT, SCORE = "synthetic", "correct", "score"
TASKS = ("colors", "counting", "position", "single_object", "two_object")
PEOPLE = 5
JUDGES = ("detector", "judge-a", "judge-b")
"""Scorers that say yes or no."""
SCORERS = ("cosine", "margin")
"""Scorers that give a number."""


@dataclass(frozen=True)
class Sizes:
    """How much there is of each; judgements with those that do not count."""

    images: int
    by_people: int
    by_scorers: int


def make(store: Store, images: int) -> Sizes:
    """Fill an empty project; the same every time."""
    found: Sizes = store.write(run(_make), images)
    return found


# u(n, salt) looks like chance in [0, 1) and is the same every time.
_TABLES = f"""
create or replace temp macro u(n, salt) as (hash(n * 1000 + salt) % 1000003) / 1000003.0;

create or replace temp table made as
select n, '{SUITE}/' || lpad((n // 20)::varchar, 5, '0') as prompt_id, 'generator-' || (n // 5) % 4 as generator,
       prompt_id || '/' || generator || '/' || n % 5 as item_id, n % 5 as idx,
       {list(TASKS)}[1 + (n // 20) % {len(TASKS)}] as task, u(n, 1) < 0.6 as truth
from range(?) r(n);

insert into prompts select distinct prompt_id, '{SUITE}', task, 'prompt', '{{}}', null from made;
insert into images (image_id, prompt_id, generator, idx) select item_id, prompt_id, generator, idx from made;
insert into items select item_id, 'image', '{SUITE}', prompt_id, task, generator, md5(item_id), null from made;
insert into item_members select item_id, item_id, 0, null from made;
insert into scales values ('{SUITE}', '{ASPECT}', 'nominal', null), ('{SUITE}', '{SCORE}', 'interval', null);
insert into raters select 'person-' || p, 'human', 'person', null, '{{}}', false, null from range({PEOPLE}) r(p);
insert into raters select unnest({[*JUDGES, *SCORERS]}), 'scorer', null, null, '{{}}', false, null;

-- of 2 % of the images nobody has said anything yet; else 1 % of the answers are missing, 3 % cannot tell, 3 % are given
-- twice, and they come in any order
create or replace temp table answers as
select n, item_id, p, again, md5(n || '/' || p || '/' || again) as annotation_id, u(n * 10 + p, 4 + again) < 0.03 as cannot,
       truth = (u(n * 10 + p, 5 + again) < 0.85) as yes,
       row_number() over (order by hash(n * 100 + p * 10 + again)) as seq
from made, range({PEOPLE}) r(p), range(2) s(again)
where n % 50 <> 7 and u(n * 10 + p, 2) >= 0.01 and (again = 0 or u(n * 10 + p, 3) < 0.03);

insert into annotations select annotation_id, null, item_id, 'person-' || p, 'direct', '{{}}', null, null,
    timestamptz '2026-01-01 00:00:00+00' + to_seconds(seq), null, false, 'valid', null, annotation_id, seq,
    null, null, null, null
from answers order by seq;

insert into judgements select item_id, 'person-' || p, '{ASPECT}', null,
    case when cannot then null when yes then 'yes' else 'no' end, case when cannot then null else yes::integer end,
    case when cannot then 'cannot_tell' end, annotation_id, 'direct-1', seq
from answers order by seq;

insert into judgements select item_id, name, '{ASPECT}', null, case when yes then 'yes' else 'no' end, yes::integer, null,
    md5(name || n), 'judge-1', 10000000 + row_number() over (order by place, hash(n))
from (select item_id, n, name, place, truth = (u(n * 10 + place, 6) < 0.7 + 0.05 * place) as yes
      from made, (select unnest({list(JUDGES)}) as name, unnest(range({len(JUDGES)})) as place));

insert into judgements select item_id, name, '{SCORE}', null, null,
    -- half of the scores are rounded, so that there are ties
    case when place = 0 then round(score, 3) else score end, null, md5(name || n), 'score-1',
    20000000 + row_number() over (order by place, hash(n))
from (select item_id, n, name, place, truth::integer * 0.4 + u(n * 10 + place, 7) as score
      from made, (select unnest({list(SCORERS)}) as name, unnest(range({len(SCORERS)})) as place));

create or replace sequence statement_seq start 30000000;
drop table answers;
drop table made;
"""


def _make(connection: duckdb.DuckDBPyConnection, images: int) -> Sizes:
    for statement in _TABLES.split(";\n"):
        connection.execute(statement, [images] if "?" in statement else [])
    counts = connection.execute(
        "select count(*) filter (r.kind = 'human'), count(*) filter (r.kind = 'scorer')"
        " from judgements j join raters r using (rater_id)"
    ).fetchone()
    assert counts is not None
    return Sizes(images, *counts)
