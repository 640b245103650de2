-- anew: runs
insert into runs (run_id, kind, rater_id, scorer, profile, version, settings, folder, state, error, n_items, created, import_id, device, engine, place) values
    ('0001-clipscore', 'score', 'clipscore-playground', 'clipscore', 'playground', '1', '{"clip":"assets/playground/clip"}', 'runs/0001-clipscore', 'done', null, 2, '2026-01-06 10:00:00+00', 1, 'cpu', 'local', null),
    ('0002-clipscore', 'score', 'clipscore-playground', 'clipscore', 'playground', '1', '{"clip":"assets/playground/clip"}', 'runs/0002-clipscore', 'paused', 'broken', 1, '2026-01-07 10:00:00+00', null, null, null, 1);
