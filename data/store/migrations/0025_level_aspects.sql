-- GenEval's form in our words and in its authors' words grade by levels of different words, which are no common scale. The released
-- answers, known by their slots, are answers to the authors' form; grades given in our words get aspects of their own.
update annotations set questionnaire = 'geneval_authors'
where questionnaire = 'geneval' and rater_id in (select rater_id from raters where identity = 'slot');

create temp table own_words as select annotation_id, item_id, import_id from annotations where questionnaire = 'geneval';
create temp table moved_aspects (aspect varchar, own varchar, scale varchar);
insert into moved_aspects values ('caption_fit', 'caption_match', 'ordinal:1-4'), ('realism', 'shape_realism', 'ordinal:1-3');

-- the scale goes with them, and with the import that may take it back; it stays where other answers have it
create temp table moved_scales as
    select i.suite, m.aspect, m.own, m.scale, case when count(o.import_id) = count(*) then min(o.import_id) end as import_id
    from judgements j join own_words o on o.annotation_id = j.source_id join items i on i.item_id = j.item_id
    join moved_aspects m on m.aspect = j.aspect group by all;
update judgements set
    aspect = case aspect when 'caption_fit' then 'caption_match' when 'realism' then 'shape_realism' else aspect end,
    rule_version = case rule_version when 'geneval-answers-2' then 'geneval-answers-3' else rule_version end
where source_id in (select annotation_id from own_words);
insert into scales (suite, aspect, scale, import_id) select suite, own, scale, import_id from moved_scales;
delete from scales s where exists (select 1 from moved_scales m where m.suite = s.suite and m.aspect = s.aspect)
    and not exists (
        select 1 from judgements j join items i on i.item_id = j.item_id where i.suite = s.suite and j.aspect = s.aspect
    );

-- a verdict on a grade is about the answers to its item: it moves where none of them is in the authors' words
update adjudications set aspect = case aspect when 'caption_fit' then 'caption_match' else 'shape_realism' end
where aspect in ('caption_fit', 'realism') and item_id in (select item_id from own_words)
    and item_id not in (select item_id from judgements where aspect in ('caption_fit', 'realism'));

insert into stale values (null);
drop table moved_scales;
drop table moved_aspects;
drop table own_words;
