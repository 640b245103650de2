-- What researchers write beside an image. Append-only: a changed note is a new row, and an empty text takes the note back.
create table notes (
    -- made by whoever sends it (a UUID), so that sending it twice is harmless
    note_id varchar not null,
    -- the first note of those that revise one another
    root_id varchar not null,
    item_id varchar not null,
    text varchar not null,
    made_by varchar not null,
    moment timestamptz not null,
    seq bigint not null
);
