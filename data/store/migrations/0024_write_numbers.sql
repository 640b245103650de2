-- One number for each write, moved in its transaction: the last acknowledged one is kept in a file beside the database too, so
-- that a database that holds less is noticed.
create sequence write_numbers;
