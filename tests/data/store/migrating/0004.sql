insert into cooccurrence_files values (1, 'instances.json', 10);
insert into cooccurrence values (1, 'cat', 'dog', 3);
