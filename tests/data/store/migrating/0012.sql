insert into recruitments values ('pilot', '{"ethics":"none needed"}', 'ann', '2026-01-09 10:00:00+00', 1);
