-- How people left a campaign, and the code that they were shown: what a platform's payment goes by. The latest counts.
create table departures (
    campaign_id varchar not null,
    rater_id varchar not null,
    outcome varchar not null check (outcome in ('completion', 'stopped', 'training', 'paused', 'quota')),
    -- empty: none was shown
    code varchar not null,
    -- how many items they had answered then
    items integer not null,
    moment timestamptz not null
);
