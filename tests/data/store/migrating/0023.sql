insert into refused_arrivals values ('prolific-0123456789', 'ann', 'a network', '2026-10-01 12:00:00+00');
update revocations set batch = 'b1';
