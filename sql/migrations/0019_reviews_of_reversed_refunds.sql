-- Orders that a reversed refund left to a person before 0017 listed them: no attempt did, from which the others are listed.

set local role counterfoil_owner;

insert into counterfoil.orders_in_review (order_id, since)
select o.order_id, o.updated_at
from counterfoil.orders o
where o.state = 'review' and o.reason = 'refund_reversed'
    and o.order_id in (select e.order_id from counterfoil.order_events e where e.kind = 'refund_reversed')
on conflict do nothing;

comment on table counterfoil.orders_in_review is
    'The orders that attempts, and reversed refunds, left in review, so that nobody looks through all orders for them; some have '
    'left since.';
comment on table counterfoil.proofs is 'The proof of a rejected, reviewed or refunded order, kept to be judged again.';
