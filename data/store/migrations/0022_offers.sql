-- Which items were given to whom: an answer counts though it comes after the reservation has ended. Skipping or reporting an item
-- takes its row away. The default campaign has none, as anybody may answer any image of it.
create table offers (
    campaign_id varchar not null,
    item_id varchar not null,
    rater_id varchar not null
);
insert into offers
select campaign_id, item_id, rater_id from claims where campaign_id <> 'default'
union select campaign_id, item_id, rater_id from drafts where campaign_id <> 'default';
-- why an answer does not count (data.campaigns.settings.SurplusReason); null: it does, or it came before there were reasons
alter table annotations add column surplus_reason varchar;
-- whether a report can set an item aside: not one of a revoked person, or of a campaign that does not run
alter table reports add column counted boolean default true;
-- whether reports set an item aside, and no manager
alter table campaign_items add column aside_by_reports boolean default false;

-- What a manager has decided about a person's pay, with what it came to. The latest counts.
create table settlements (
    campaign_id varchar not null,
    rater_id varchar not null,
    decision varchar not null check (decision in ('approve', 'return', 'reject')),
    base varchar not null,
    bonus varchar not null,
    fee varchar not null,
    made_by varchar not null,
    moment timestamptz not null
);
-- What erased people earned: nothing in a row tells who they were, not even when they were erased.
create table ledger (
    campaign_id varchar not null,
    outcome varchar not null,
    decision varchar not null,
    items integer not null,
    base varchar not null,
    bonus varchar not null,
    fee varchar not null
);
