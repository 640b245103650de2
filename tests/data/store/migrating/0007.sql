insert into invitations values ('i1', 'pilot', 'annotator', '2027-01-01 00:00:00+00', 3, 'lab', 'ann', '2026-01-09 10:00:00+00', '2026-01-11 10:00:00+00');
insert into arrivals values ('i1', 'ben', 'name', '2026-01-09 10:00:00+00');
insert into erased values ('00ff', '2026-01-09 10:00:00+00');
