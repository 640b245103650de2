-- How a draft was asked for: the values of its form or file, from which its list of images is made anew while it is edited.
create table campaign_requests (
    campaign_id varchar primary key,
    request json not null
);
