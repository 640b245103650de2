insert into changes values ('pilot', '{"gold_pass_mark":[0.9,0.8]}', 'ann', '2026-01-12 10:00:00+00');
