-- How a campaign's people were recruited, instructed and paid, as its manager says (data.campaign). Append-only: each row is
-- all that was said by then, and the latest of a campaign counts.
create table recruitments (
    campaign_id varchar not null,
    -- answers by field
    fields json not null,
    made_by varchar not null,
    moment timestamptz not null,
    seq bigint not null
);
