insert into imports (kind, name, sha256, counts, created) values
    ('images', 'g1', 'a1', '{"images":3}', '2026-01-01 10:00:00+00'), ('ratings', 'r.csv', 'a2', '{}', '2026-01-02 10:00:00+00');
update imports set undone = '2026-01-03 10:00:00+00' where name = 'r.csv';
insert into meta values ('secret', '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
insert into prompts values
    ('geneval/00000', 'geneval', 'counting', 'two cats', '{"tag":"counting","include":[{"class":"cat","count":2}],"prompt":"two cats"}', 1),
    ('geneval/00001', 'geneval', 'colors', 'a "red" dog é ☃', '{"tag":"colors","include":[{"class":"dog","count":1,"color":"red"}],"prompt":"a red dog"}', 1);
insert into images (image_id, prompt_id, generator, idx, path, sha256, width, height, import_id, file_import_id) values
    ('geneval/00000/g1/0', 'geneval/00000', 'g1', 0, '/nowhere/0.png', 'f0', 8, 8, 1, 1),
    ('geneval/00000/g1/1', 'geneval/00000', 'g1', 1, '/nowhere/1.png', 'f1', 8, 8, 1, 1),
    ('geneval/00001/g1/0', 'geneval/00001', 'g1', 0, null, null, null, null, 1, null);
insert into items (item_id, kind, suite, prompt_id, task, generator, public_id, import_id) values
    ('geneval/00000/g1/0', 'image', 'geneval', 'geneval/00000', 'counting', 'g1', 'p0', 1),
    ('geneval/00000/g1/1', 'image', 'geneval', 'geneval/00000', 'counting', 'g1', 'p1', 1),
    ('geneval/00001/g1/0', 'image', 'geneval', 'geneval/00001', 'colors', 'g1', 'p2', 1),
    ('pair|0', 'pair', 'geneval', 'geneval/00000', 'counting', null, 'p3', 1);
insert into item_members values ('pair|0', 'geneval/00000/g1/1', 0, 1), ('pair|0', 'geneval/00000/g1/0', 1, 1);
insert into raters (rater_id, kind, identity, version, settings, simulated, import_id) values
    ('ann', 'human', 'person', null, '{}', false, null), ('ben', 'human', 'person', null, '{}', false, null),
    ('slot 1', 'human', 'slot', null, '{}', false, 1), ('old', 'scorer', null, '1', '{}', false, 1);
insert into scales values ('geneval', 'correct', 'nominal', 1);
insert into campaigns (campaign_id, overlap, created) values ('default', 3, '2026-01-01 10:00:00+00');
insert into claims (campaign_id, item_id, rater_id, until) values ('default', 'geneval/00001/g1/0', 'ann', '2026-01-05 10:00:00+00');
insert into skips values ('default', 'pair|0', 'ben', '2026-01-05 10:00:00+00');
-- ann and ben agree on two of three: ann's first answer about the second was revised
insert into annotations (annotation_id, campaign_id, item_id, rater_id, questionnaire, answers, raw, started, submitted, active_seconds,
    saw_evidence, status, revises, root_id, seq, import_id) values
    ('a1', 'default', 'geneval/00000/g1/0', 'ann', 'direct', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', '{"order":[0]}', '2026-01-04 10:00:00+00', '2026-01-04 10:00:09+00', 8.5, false, 'valid', null, 'a1', 1, null),
    ('a2', 'default', 'geneval/00000/g1/1', 'ann', 'direct', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', null, null, '2026-01-04 10:01:00+00', null, false, 'valid', null, 'a2', 2, null),
    ('a3', 'default', 'geneval/00001/g1/0', 'ann', 'direct', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', null, null, '2026-01-04 10:02:00+00', null, false, 'valid', null, 'a3', 3, null),
    ('b1', 'default', 'geneval/00000/g1/0', 'ben', 'direct', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', null, null, '2026-01-04 11:00:00+00', null, false, 'valid', null, 'b1', 4, null),
    ('b2', 'default', 'geneval/00000/g1/1', 'ben', 'direct', '{"aspect":"correct","target":null,"label":"no","value":0.0}', null, null, '2026-01-04 11:01:00+00', null, false, 'valid', null, 'b2', 5, null),
    ('b3', 'default', 'geneval/00001/g1/0', 'ben', 'direct', '{"aspect":"correct","target":null,"label":"no","value":0.0}', null, null, '2026-01-04 11:02:00+00', null, false, 'valid', null, 'b3', 6, 1),
    ('a4', 'default', 'geneval/00000/g1/1', 'ann', 'direct', '{"aspect":"correct","target":null,"label":"no","value":0.0}', null, null, '2026-01-04 12:00:00+00', null, false, 'valid', 'a2', 'a2', 2, null),
    ('a5', 'default', 'geneval/00000/g1/0', 'slot 1', 'direct', '{"aspect":"correct","target":"cat","label":"no","value":0.0}', null, null, '2026-01-04 12:01:00+00', null, true, 'surplus', null, 'a5', 7, 1),
    ('a6', 'default', 'geneval/00000/g1/1', 'slot 1', 'direct', '{"aspect":"correct","target":null,"label":null,"value":null}', null, null, '2026-01-04 12:02:00+00', null, false, 'surplus', null, 'a6', 12, 1);
insert into evidence (evidence_id, item_id, rater_id, payload, seq, import_id) values
    ('e1', 'geneval/00000/g1/0', 'old', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', 8, 1),
    ('e2', 'geneval/00000/g1/1', 'old', '{"aspect":"correct","target":null,"label":"yes","value":1.0}', 9, 1);
select nextval('statement_seq') from range(12);
insert into judgements (item_id, rater_id, aspect, target, label, value, reason, source_id, rule_version, seq)
    select item_id, rater_id, 'correct', answers ->> 'target', answers ->> 'label', (answers ->> 'value')::double,
        case when answers ->> 'label' is null then 'cannot_tell' end, annotation_id, 'direct-1', seq
    from annotations where annotation_id <> 'a2'
    union all select item_id, rater_id, 'correct', null, payload ->> 'label', (payload ->> 'value')::double, null, evidence_id, 'direct-1', seq
    from evidence;
