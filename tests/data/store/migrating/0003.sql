insert into uncovered values ('ann', 'geneval/00000/g1/0', '2026-01-08 10:00:00+00', 'asked'), ('ann', 'pair|0', '2026-01-08 10:00:00+00', 'browse: ben');
