-- Runs wait in a queue, are paused or cancelled, and a generator's are runs, too. DuckDB cannot change a check: the table is
-- made anew with what it held.
create temp table earlier_runs as select * from runs;
drop table runs;
create table runs (
    run_id varchar primary key,
    -- score: a scorer looks at images; generate: a generator paints them, and has its name in rater_id
    kind varchar not null default 'score' check (kind in ('score', 'generate')),
    rater_id varchar not null,
    scorer varchar not null,
    profile varchar not null,
    version varchar not null,
    settings json not null,
    -- below the project's folder
    folder varchar not null,
    state varchar not null check (state in ('queued', 'running', 'paused', 'cancelled', 'failed', 'lost', 'done')),
    -- why it failed, one line for people
    error varchar,
    n_items integer not null,
    created timestamptz not null default current_timestamp,
    import_id integer,
    -- what it was asked to run on, and how the work is spread; null: nobody said
    device varchar,
    engine varchar,
    -- the place in the queue; null where it does not wait
    place integer
);
insert into runs (run_id, rater_id, scorer, profile, version, settings, folder, state, error, n_items, created, import_id)
    select run_id, rater_id, scorer, profile, version, settings, folder,
        case state when 'stopped' then 'paused' else state end, error, n_items, created, import_id
    from earlier_runs;
drop table earlier_runs;
