-- A crowd platform's id belongs to the browser that came with it first; another one needs the person's re-entry code.
create table identities (
    rater_id varchar not null,
    -- a keyed hash of the re-entry code
    code varchar not null,
    -- how often a browser came with the id and without the code
    refused integer not null
);
create table browsers (
    rater_id varchar not null,
    -- a keyed hash of what the browser's cookie holds for this person
    secret varchar not null,
    moment timestamptz not null
);
-- a keyed hash of the network that somebody came from
alter table arrivals add column network varchar;
-- whether the link lets in only those whose id is signed
alter table invitations add column signed boolean default false;
-- why the campaign's own rule has taken somebody out (they are paused); null where a manager has
alter table revocations add column reason varchar;
