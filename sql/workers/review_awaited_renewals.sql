-- Leaves open orders in review whose renewal didn't come in time, a batch at a time; any worker may, twice at once too. An order
-- with a pending job waits for its verdict. Returns how many are no longer waited for.
--
-- $1 int4  the most to look at
--
-- Idioms: lock first, array of one, row look-up.
with overdue as materialized (
    select w.order_id
    from counterfoil.awaited_renewals w
    where w.review_at < now()
        and (
            select true from counterfoil.jobs j
            where j.order_number = (select o.number from counterfoil.orders o where o.order_id = w.order_id)
                and j.state <> 'discarded'
            limit 1
        ) is null
    order by w.review_at
    limit $1::integer
    for update skip locked
), moved as (
    update counterfoil.orders o
    set state = 'review', reason = 'another_payment', version = o.version + 1, updated_at = now()
    from overdue w
    where o.order_id = any (array[w.order_id]) and o.state = 'open'
    returning o.order_id, o.updated_at
), listed as (
    insert into counterfoil.orders_in_review (order_id, since)
    select m.order_id, m.updated_at from moved m
    on conflict do nothing
)
delete from counterfoil.awaited_renewals w using overdue where w.order_id = overdue.order_id
