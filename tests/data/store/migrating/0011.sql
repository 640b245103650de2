-- made from other tables, and wrong on purpose: opening is to make them anew
insert into browse (item_id, kind, suite, task, generator, prompt_id, idx, pictured, yes, no, people, certainty, n, mean, spread, likert, scorers_yes,
    scorers_no, says, scores, moved, verdicts)
    values ('gone', 'image', 'geneval', 'x', 'x', 'x', 0, true, 1, 1, 'tie', 'split', 2, 0.5, 0.5, 1, 1, 1, [1], [0.5], 1, 1);
insert into browse_raters values (1, 'old');
insert into prompt_parts values ('gone', 'object', 'cat');
insert into taggings (tagging_id, item_id, tag, tagged, made_by, moment) values
    ('t1', 'geneval/00000/g1/0', 'odd', true, 'ann', '2026-01-09 10:00:00+00'), ('t2', 'geneval/00000/g1/1', 'odd', true, 'ben', '2026-01-09 10:00:00+00');
insert into saved_views (saving_id, name, query, made_by, moment) values ('s1', 'mine', 'suite=geneval', 'ann', '2026-01-09 10:00:00+00');
