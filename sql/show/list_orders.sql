-- Orders, newest first, by account or state where given. In review: those that a person has to decide about.
--
-- $1 text  account, or null    $2 text  state, or null    $3 int4  the most to list
select
    o.order_id, o.bundle_id, o.product_id, o.account_id, o.state, o.reason, o.transaction_id, o.environment, o.attempts,
    o.created_at, o.updated_at
from counterfoil.orders o
where ($1::text is null or o.account_id = $1::text) and ($2::text is null or o.state = $2::text)
    and ($2::text is distinct from 'review' or exists (select from counterfoil.open_reviews r where r.order_id = o.order_id))
order by o.created_at desc, o.order_id
limit $3::integer
