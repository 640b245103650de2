update campaigns set import_id = 1 where campaign_id = 'pilot';
