-- What Browse filters and orders by: one row for each item, a projection that is remade from all other tables.
-- `stale` names the items of which something was written since their row was made.
create table browse (
    item_id varchar not null,
    kind varchar not null,
    suite varchar not null,
    task varchar,
    generator varchar,
    prompt_id varchar,
    idx integer,
    -- whether there is a file
    pictured boolean not null,
    -- of real people's first valid blind answers on `correct`: how many say yes and no, what most say (yes, no, tie, none),
    -- how sure they are together (unanimous, majority, split; null with fewer than two), and the values' number, mean and
    -- variance
    yes integer not null,
    no integer not null,
    people varchar not null,
    certainty varchar,
    n integer not null,
    mean double,
    spread double,
    -- their mean `faithfulness`, or else their mean `caption_fit`
    likert double,
    -- how many scorers say yes and no on `correct`
    scorers_yes integer not null,
    scorers_no integer not null,
    -- by scorer (browse_raters.no): 1 says yes on `correct`, 0 no, 2 could not look; and its `score`
    says utinyint[] not null,
    scores double[] not null,
    -- the largest judgements.seq: what was judged last
    moved bigint,
    -- `says` of the first 31 scorers in one number, two bits each: 1 no, 2 yes, 3 could not look, 0 nothing
    verdicts ubigint not null
);
-- null: everything
create table stale (item_id varchar);
insert into stale values (null);

-- The places of scorers in browse.says and browse.scores, from 1 on; a place is never given to another.
create table browse_raters (no integer not null, rater_id varchar not null);

-- What each prompt's spec asks for: object, color, count or relation. A projection of prompts.
create table prompt_parts (prompt_id varchar not null, what varchar not null, value varchar not null);

-- Tags of items. Append-only: the last word about an item and a tag counts.
create sequence tagging_seq;
create table taggings (
    -- names the act, which may be about many items
    tagging_id varchar not null,
    item_id varchar not null,
    tag varchar not null,
    tagged boolean not null,
    made_by varchar not null,
    moment timestamptz not null,
    seq bigint not null default nextval('tagging_seq')
);
create view tagged as
    select item_id, tag from taggings group by item_id, tag having arg_max(tagged, seq);

-- Views of Browse that were given a name: its address's query. Append-only: the last word about a name counts.
create sequence view_seq;
create table saved_views (
    saving_id varchar not null,
    name varchar not null,
    -- null: forgotten
    query varchar,
    made_by varchar not null,
    moment timestamptz not null,
    seq bigint not null default nextval('view_seq')
);
