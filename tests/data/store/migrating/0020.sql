-- anew: campaign_items
insert into campaign_items (campaign_id, item_id, role, sampling, expected, position, shuffle, people, wanted, aside, draw_probability) values
    ('pilot', 'geneval/00000/g1/0', 'ordinary', 'weighted', null, 0, 11, 0, 2, false, 0.25), ('pilot', 'geneval/00000/g1/1', 'gold', 'selected', '{"count_0":2}', 1, 12, 0, 0, true, null);
update campaigns set pool = '[["geneval","counting","g1",2]]' where campaign_id = 'pilot';
