insert into campaign_requests (campaign_id, request) values ('c1', '{"title": "A study", "n": 2}');
