-- An order that can be paid although the ledger holds its payment, unclaimed: the payment's token names the order, and nobody has
-- brought the two together for an hour, nor tried to. What an attempt found against it is in the history.
--
-- From the side of the payments that nobody claimed within a month. Few bear a token that an order bears.
--
-- Idioms: offset 0, row look-up.
select f.order_id, o.order_state, p.transaction_id, p.environment, p.seen_at
from (
    select p.* from counterfoil.payments p
    where p.reason not in ('renewal', 'restored', 'refunded', 'before_ledger') and p.seen_at > now() - interval '30 days'
        and p.seen_at < now() - interval '1 hour' and p.reason = 'no_order' and p.app_account_token is not null
        and p.purchase_reason is distinct from 'renewal'
    offset 0
) p
cross join lateral (
    select t.account_id from counterfoil.account_of_token(p.bundle_id, p.app_account_token) t offset 0
) t
cross join lateral (
    select w.order_id from counterfoil.orders_for_payment(
        p.bundle_id, p.product_id, p.product_kind, p.quantity, p.app_account_token, coalesce(p.paid_at, p.purchased_at), t.account_id,
        null, null) w
    where w.rank = 1 and t.account_id is not null
    offset 0
) f
join counterfoil.order_facts o on o.order_id = any (array[f.order_id])
where (p.environment = 'production' or o.allows_sandbox)
    and (
        select true from counterfoil.payment_states s
        where s.transaction_id = p.transaction_id and s.bundle_id = p.bundle_id and s.environment = p.environment
            and s.state = 'unclaimed'
        limit 1
    )
    and (select true from counterfoil.jobs j where j.order_number = o.order_number and j.kind = 'verify' limit 1) is null
    and (
        select true from counterfoil.attempts a
        where a.order_number = o.order_number and a.transaction_id = p.transaction_id
        limit 1
    ) is null
    and (
        select true
        from counterfoil.notifications n
        join counterfoil.jobs j on j.notification_id = n.id
        where n.transaction_id = p.transaction_id and n.bundle_id = p.bundle_id
        limit 1
    ) is null
limit 100
