-- How often classes are together in the images of an annotation file. Truth, as the file has it; no projection.
create table cooccurrence_files (
    import_id integer primary key,
    name varchar not null,
    -- that have an annotation
    images integer not null
);
create table cooccurrence (
    import_id integer not null,
    -- in the alphabet's order; the same twice: how many images hold it
    a varchar not null,
    b varchar not null,
    images integer not null
);
