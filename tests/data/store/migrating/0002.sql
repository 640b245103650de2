insert into raters (rater_id, kind, identity, version, settings, simulated, import_id) values
    ('clipscore-playground', 'scorer', null, '1', '{"clip":"assets/playground/clip"}', false, null);
insert into scales values ('geneval', 'score', 'interval', null);
insert into runs (run_id, rater_id, scorer, profile, version, settings, folder, state, error, n_items, created, import_id) values
    ('0001-clipscore', 'clipscore-playground', 'clipscore', 'playground', '1', '{"clip":"assets/playground/clip"}', 'runs/0001-clipscore', 'done', null, 2, '2026-01-06 10:00:00+00', 1),
    ('0002-clipscore', 'clipscore-playground', 'clipscore', 'playground', '1', '{"clip":"assets/playground/clip"}', 'runs/0002-clipscore', 'stopped', 'broken', 1, '2026-01-07 10:00:00+00', null);
insert into run_parts values ('0001-clipscore', 0);
insert into detections values ('0001-clipscore', 'geneval/00000/g1/0', 0, 'cat', 0.9, 1, 2, 3, 4, '0:0:0', [0.25, 0.75]);
insert into evidence (evidence_id, item_id, rater_id, payload, seq, import_id, run_id, failed) values
    ('e3', 'geneval/00000/g1/0', 'clipscore-playground', '{"cosine":0.25}', 10, null, '0001-clipscore', null),
    ('e4', 'geneval/00000/g1/1', 'clipscore-playground', '{}', 11, null, '0001-clipscore', 'cannot be read');
select nextval('statement_seq') from range(2);
insert into judgements values ('geneval/00000/g1/0', 'clipscore-playground', 'score', null, null, 0.25, null, 'e3', 'clipscore-1', 10);
