-- Truth: what was shown, seen and said. Append-only, except that undoing an import takes its rows back.
create table meta (key varchar primary key, value varchar not null);

create sequence import_ids;
create table imports (
    import_id integer primary key default nextval('import_ids'),
    kind varchar not null,
    name varchar not null,
    sha256 varchar not null,
    counts json not null,
    created timestamptz not null default current_timestamp,
    undone timestamptz
);

create table prompts (
    prompt_id varchar primary key,
    suite varchar not null,
    task varchar,
    text varchar not null,
    spec json not null,
    import_id integer
);

create table images (
    image_id varchar primary key,
    prompt_id varchar not null,
    generator varchar not null,
    idx integer not null,
    path varchar,
    sha256 varchar,
    width integer,
    height integer,
    import_id integer,
    -- the file may come later than the place, and from another import
    file_import_id integer
);
create index images_sha256 on images (sha256);

create table items (
    item_id varchar primary key,
    kind varchar not null check (kind in ('image', 'pair', 'group')),
    suite varchar not null,
    prompt_id varchar,
    task varchar,
    generator varchar,
    -- what an annotator's browser sees instead of item_id, which names the generator
    public_id varchar not null,
    import_id integer
);
create index items_public_id on items (public_id);
create table item_members (item_id varchar not null, image_id varchar not null, position integer not null, import_id integer);

create table raters (
    rater_id varchar primary key,
    kind varchar not null check (kind in ('human', 'scorer', 'consensus')),
    identity varchar check (identity in ('person', 'slot')),
    version varchar,
    settings json not null,
    simulated boolean not null,
    import_id integer
);

create table scales (suite varchar not null, aspect varchar not null, scale varchar not null, import_id integer);

create table campaigns (campaign_id varchar primary key, overlap integer not null check (overlap >= 1), created timestamptz not null);
create table claims (campaign_id varchar not null, item_id varchar not null, rater_id varchar not null, until timestamptz not null);
create table skips (campaign_id varchar not null, item_id varchar not null, rater_id varchar not null, skipped timestamptz not null);

-- one order over all statements, whoever made them: "the first" in every statistic means the smallest seq
create sequence statement_seq;

create table annotations (
    annotation_id varchar primary key,
    campaign_id varchar,
    item_id varchar not null,
    rater_id varchar not null,
    questionnaire varchar not null,
    answers json not null,
    raw json,
    started timestamptz,
    submitted timestamptz not null,
    active_seconds double,
    saw_evidence boolean not null,
    status varchar not null check (status in ('valid', 'surplus', 'gold', 'training')),
    revises varchar,
    -- a revision keeps the place in the order of the annotation that it revises
    root_id varchar not null,
    seq bigint not null,
    import_id integer
);
create index annotations_item on annotations (item_id);
create index annotations_rater on annotations (rater_id);

create table evidence (
    evidence_id varchar primary key,
    item_id varchar not null,
    rater_id varchar not null,
    payload json not null,
    seq bigint not null,
    import_id integer
);

-- A projection of annotations and evidence: `rebuild` remakes it.
create table judgements (
    item_id varchar not null,
    rater_id varchar not null,
    aspect varchar not null,
    target varchar,
    label varchar,
    value double,
    reason varchar,
    source_id varchar not null,
    rule_version varchar not null,
    seq bigint not null
);
