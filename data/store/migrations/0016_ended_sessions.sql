-- Sessions that somebody has ended: their cookies are signed and would be good until they expire. A keyed hash of each.
create table ended_sessions (
    session varchar primary key,
    -- when its cookies are too old for any use, and this row may go
    until timestamptz not null
);
