-- Why an image is no picture though its generator made the file (data.jobs.generation); null where it is one, or nobody can say.
alter table images add column blanked varchar;
-- How each generator was asked for the images that were made here. Two ways of asking are two generators.
create table generations (
    generator varchar primary key,
    settings json not null,
    created timestamptz not null default current_timestamp
);
