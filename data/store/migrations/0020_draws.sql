-- Campaigns whose items are drawn with unequal chances, which estimates weigh by them.
create table campaign_items_drawn (
    campaign_id varchar not null,
    item_id varchar not null,
    role varchar not null check (role in ('ordinary', 'gold', 'attention', 'training')),
    sampling varchar not null check (sampling in ('random', 'selected', 'weighted')),
    expected json,
    position integer not null,
    shuffle integer not null,
    people integer not null,
    wanted integer not null,
    aside boolean not null,
    -- of weighted items: with which chance they were drawn
    draw_probability double
);
insert into campaign_items_drawn select *, null from campaign_items;
drop table campaign_items;
alter table campaign_items_drawn rename to campaign_items;
-- what items were drawn from: rows of suite, task, generator and how many images; null: not known
alter table campaigns add column pool json;
