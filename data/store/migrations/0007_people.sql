-- Who may come by a link, and who came by it.
create table invitations (
    invitation_id varchar primary key,
    -- null: the default campaign
    campaign_id varchar,
    role varchar not null check (role in ('annotator', 'researcher', 'admin')),
    expires timestamptz not null,
    -- how many people may come by it; null: any number
    uses integer,
    note varchar not null,
    made_by varchar not null,
    moment timestamptz not null,
    revoked timestamptz
);
create table arrivals (
    invitation_id varchar not null,
    rater_id varchar not null,
    -- a crowd platform, or 'name' if the person typed one
    came_as varchar not null,
    moment timestamptz not null
);

-- People who were erased: a keyed hash of the name, so that nothing brings them back unnoticed.
create table erased (person varchar primary key, moment timestamptz not null);
