-- Campaigns made by a manager. The default one needs none of this: its settings are the defaults, its items all images.
alter table campaigns add column title varchar;
-- the name of a questionnaire, its version when the campaign was made, and the text of one that a user wrote
alter table campaigns add column questionnaire varchar default 'geneval';
alter table campaigns add column questionnaire_version varchar;
alter table campaigns add column definition varchar;
alter table campaigns add column seed bigint default 0;
-- draft, running, stopped or archived
alter table campaigns add column state varchar default 'running';
alter table campaigns add column settings json default '{}';
update campaigns set settings = '{"order":"shared"}';
-- whether statistics are to count only the items that a seeded sampler drew
alter table campaigns add column stratum boolean default false;
-- the default campaign's items are brought up to date when the imports are others than these
alter table campaigns add column synced varchar;

-- No index: rows are found by scanning whole numbers, and counts change with every answer.
create table campaign_items (
    campaign_id varchar not null,
    item_id varchar not null,
    role varchar not null check (role in ('ordinary', 'gold', 'attention', 'training')),
    sampling varchar not null check (sampling in ('random', 'selected')),
    -- of gold, attention and training items: the right answers by question
    expected json,
    -- the place in the campaign's list, and a seeded number below 2^31 that orders by chance
    position integer not null,
    shuffle integer not null,
    -- how many people have answered validly and blind (counted from annotations), and how many are to; 0 unless ordinary
    people integer not null,
    wanted integer not null,
    -- reported as broken, or taken out by the manager
    aside boolean not null
);
create index item_members_item on item_members (item_id);

-- what somebody has before them: 0 now, 1 next
alter table claims add column place integer default 0;

-- of gold, attention and training items: whether the first answer was right
alter table annotations add column passed boolean;
-- not of the campaign's random stratum
alter table annotations add column selected boolean;
-- what the status was before the person's answers were made not to count
alter table annotations add column status_before varchar;

create table drafts (
    campaign_id varchar not null,
    rater_id varchar not null,
    item_id varchar not null,
    answers json not null,
    saved timestamptz not null
);

create table reports (
    campaign_id varchar not null,
    item_id varchar not null,
    rater_id varchar not null,
    reason varchar not null,
    moment timestamptz not null,
    -- when the manager put the item back
    dismissed timestamptz
);

create table revocations (
    rater_id varchar not null,
    -- null: from the whole project
    campaign_id varchar,
    -- whether earlier answers stopped counting, too
    uncounted boolean not null,
    made_by varchar not null,
    moment timestamptz not null,
    lifted timestamptz,
    lifted_by varchar
);

create table adjudications (
    adjudication_id varchar not null,
    item_id varchar not null,
    aspect varchar not null,
    target varchar,
    campaign_id varchar,
    wrong varchar not null check (wrong in ('scorer', 'person', 'prompt', 'guideline')),
    -- which scorer or person
    rater_id varchar,
    verdict varchar not null,
    note varchar not null,
    made_by varchar not null,
    moment timestamptz not null,
    seq bigint not null
);
