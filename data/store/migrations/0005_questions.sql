-- What people and scorers are asked about a prompt. A version holds all its questions; the highest is asked, the others were.
create table questions (
    prompt_id varchar not null,
    version integer not null,
    position integer not null,
    -- names the question within its prompt through all versions
    question_id varchar not null,
    text varchar not null,
    choices json not null,
    answer varchar not null,
    element_type varchar not null,
    element varchar not null,
    import_id integer not null,
    primary key (prompt_id, version, position)
);
