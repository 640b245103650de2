insert into invitations (invitation_id, campaign_id, role, expires, uses, note, made_by, moment, revoked) values ('i1', 'pilot', 'annotator', '2027-01-01 00:00:00+00', 3, 'lab', 'ann', '2026-01-09 10:00:00+00', '2026-01-11 10:00:00+00');
insert into arrivals (invitation_id, rater_id, came_as, moment) values ('i1', 'ben', 'name', '2026-01-09 10:00:00+00');
insert into erased values ('00ff', '2026-01-09 10:00:00+00');
