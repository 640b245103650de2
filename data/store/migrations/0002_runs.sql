-- Scorers' runs: what was asked, which parts have come in, and what was seen. Masks stay in the run's own files.
create table runs (
    run_id varchar primary key,
    rater_id varchar not null,
    scorer varchar not null,
    profile varchar not null,
    version varchar not null,
    settings json not null,
    -- below the project's folder
    folder varchar not null,
    state varchar not null check (state in ('running', 'stopped', 'failed', 'lost', 'done')),
    -- why it failed, one line for people
    error varchar,
    n_items integer not null,
    created timestamptz not null default current_timestamp,
    import_id integer
);

create table run_parts (run_id varchar not null, part integer not null, primary key (run_id, part));

create table detections (
    run_id varchar not null,
    image_id varchar not null,
    -- the detector's own order
    rank integer not null,
    label varchar not null,
    score double not null,
    x0 double not null,
    y0 double not null,
    x1 double not null,
    y1 double not null,
    -- PART:ROW:RANK within the run's parts
    mask_ref varchar,
    color_probs double[]
);
create index detections_image on detections (image_id);

alter table evidence add column run_id varchar;
-- why nothing was seen; such evidence has no judgements and does not count as evidence
alter table evidence add column failed varchar;
create index evidence_item on evidence (item_id);
