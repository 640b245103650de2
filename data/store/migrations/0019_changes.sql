-- What of a campaign's settings was changed after it was made, and by whom. Append-only.
create table changes (
    campaign_id varchar not null,
    -- by setting, its value before and since
    settings json not null,
    made_by varchar not null,
    moment timestamptz not null
);
