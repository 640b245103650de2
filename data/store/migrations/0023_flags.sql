-- Who came with somebody else's id and was not let in. Networks are keyed hashes, as in arrivals.
create table refused_arrivals (
    -- whose id it was
    rater_id varchar not null,
    -- whose session the browser had; null: nobody's
    known_as varchar,
    network varchar,
    moment timestamptz not null
);
-- people who were revoked together have one name here, so that it can be undone in one step; null: revoked alone
alter table revocations add column batch varchar;
