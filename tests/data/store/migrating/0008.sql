insert into consents values ('pilot', 'ben', 'abc', '2026-01-09 10:00:00+00');
