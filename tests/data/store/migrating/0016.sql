insert into ended_sessions values ('5e55', '2027-01-01 00:00:00+00');
