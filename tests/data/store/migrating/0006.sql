update campaigns set title = 'All', questionnaire_version = '1', definition = null, synced = '1', settings = '{"order":"shared"}';
insert into campaigns (campaign_id, overlap, created, title, questionnaire, questionnaire_version, definition, seed, state, settings, stratum, synced) values
    ('pilot', 2, '2026-01-09 10:00:00+00', 'A pilot', 'geneval', '1', 'id: x', 7, 'stopped', '{"order":"own"}', true, null);
insert into campaign_items values
    ('pilot', 'geneval/00000/g1/0', 'ordinary', 'random', null, 0, 11, 0, 2, false), ('pilot', 'geneval/00000/g1/1', 'gold', 'selected', '{"count_0":2}', 1, 12, 0, 0, true);
update claims set place = 1;
update annotations set passed = true, selected = false, status_before = 'valid' where annotation_id = 'a5';
insert into drafts values ('default', 'ben', 'pair|0', '{"note":"half"}', '2026-01-09 10:00:00+00');
insert into reports (campaign_id, item_id, rater_id, reason, moment, dismissed) values
    ('default', 'pair|0', 'ann', 'broken', '2026-01-09 10:00:00+00', '2026-01-10 10:00:00+00');
insert into revocations (rater_id, campaign_id, uncounted, made_by, moment, lifted, lifted_by) values ('ben', 'pilot', true, 'ann', '2026-01-09 10:00:00+00', '2026-01-10 10:00:00+00', 'ann');
insert into adjudications values ('v1', 'geneval/00000/g1/1', 'correct', 'cat', 'default', 'person', 'ben', 'yes', 'look again', 'ann', '2026-01-09 10:00:00+00', 12);
select nextval('statement_seq');
