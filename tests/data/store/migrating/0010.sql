update images set blanked = 'a filter' where idx = 1;
insert into generations values ('g1', '{"steps":20}', '2026-01-09 10:00:00+00');
