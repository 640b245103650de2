insert into identities values ('ben', '00ff', 1);
insert into browsers values ('ben', '00ff', '2026-01-12 10:00:00+00');
insert into arrivals values ('i1', 'prolific-0123456789', 'prolific', '2026-01-12 10:00:00+00', '00ff');
update invitations set signed = true where invitation_id = 'i1';
insert into revocations (rater_id, campaign_id, uncounted, made_by, moment, lifted, lifted_by, reason) values ('ann', 'pilot', false, 'checks', '2026-01-12 10:00:00+00', null, null, '1 of 6 gold items right');
