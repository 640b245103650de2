insert into departures values
    ('pilot', 'ann', 'completion', 'C1', 2, '2026-01-05 10:00:00+00');
