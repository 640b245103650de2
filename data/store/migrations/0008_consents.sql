-- Who has agreed to what a campaign asks before it shows anything: the text's hash, so that a changed text is asked about again.
create table consents (
    campaign_id varchar not null,
    rater_id varchar not null,
    text_hash varchar not null,
    moment timestamptz not null
);
