insert into notes values ('n1', 'n1', 'geneval/00000/g1/0', 'look', 'ann', '2026-01-09 10:00:00+00', 1);
