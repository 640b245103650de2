-- Campaigns that came with exported answers: undoing the import takes them back.
alter table campaigns add column import_id integer;
