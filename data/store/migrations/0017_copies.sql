-- Copies of the project that were written here or elsewhere, so that an erased person can be taken out of them, too.
create table copies (
    -- absolute: a snapshot's file, or a backup's folder
    path varchar not null,
    kind varchar not null check (kind in ('snapshot', 'backup')),
    -- whether people go by their names in it, or by pseudonyms
    people varchar not null check (people in ('names', 'pseudonyms')),
    moment timestamptz not null
);
