-- Ids of the questions about the same prompt that must hold for this one to make sense. What was asked before had none.
alter table questions add column parents json default '[]';
