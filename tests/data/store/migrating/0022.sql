insert into offers values ('pilot', 'geneval/00000/g1/0', 'ann');
update annotations set surplus_reason = 'full' where status = 'surplus';
update reports set counted = false;
update campaign_items set aside_by_reports = true where campaign_id = 'pilot';
insert into settlements values ('pilot', 'ann', 'approve', '1.00', '0.50', '0.10', 'rita', '2026-01-06 10:00:00+00');
insert into ledger values ('pilot', 'stopped', 'return', 3, '0.00', '0.30', '0.10');
