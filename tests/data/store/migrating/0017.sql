insert into copies values ('/elsewhere/a.duckdb', 'snapshot', 'pseudonyms', '2026-01-09 10:00:00+00');
