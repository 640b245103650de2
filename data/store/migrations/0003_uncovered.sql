-- Who has been shown what scorers and others say of an item, from when on, and how: answers given after that are not blind.
create table uncovered (
    rater_id varchar not null,
    item_id varchar not null,
    moment timestamptz not null,
    -- 'asked', 'answered', or 'browse: RATER' for whose values a grid had shown
    how varchar not null,
    primary key (rater_id, item_id)
);
