-- What Apple signed of each payment that a shop may act on, and that no rule of ours needs: price, offer, plan, storefront, seats.
-- Look one up by transaction_id; those of an order by order_id.

create or replace view counterfoil.purchase_terms as
select
    s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.product_id, s.product_kind, s.quantity, s.purchased_at,
    s.expires_at,
    o.order_id,
    coalesce(s.paid_account_id, s.account_id) as account_id,
    'purchased' as ownership,
    -- Of all units; of seats the average of one.
    trim_scale(p.price_milliunits / 1000.0) as price,
    p.currency,
    -- purchase: the customer made it; renewal: Apple's server.
    p.purchase_reason,
    p.terms ->> 'storefront' as storefront,
    case p.terms ->> 'offer_type'
        when '1' then 'introductory'
        when '2' then 'promotional'
        when '3' then 'offer_code'
        when '4' then 'win_back'
        else p.terms ->> 'offer_type'
    end as offer_type,
    p.terms ->> 'offer_id' as offer_id,
    p.terms ->> 'offer_period' as offer_period,
    -- In Apple's words, as the plan.
    p.terms ->> 'offer_discount' as offer_discount,
    p.terms ->> 'billing_plan' as billing_plan,
    -- Of a commitment that is paid in parts.
    (p.terms ->> 'payment_number')::bigint as payment_number,
    (p.terms ->> 'payment_count')::bigint as payment_count,
    to_timestamp((p.terms ->> 'commitment_ends_at')::bigint / 1000.0) as commitment_ends_at,
    case when p.terms ? 'has_seats' then p.quantity end as seats_paid,
    case when p.terms ? 'has_seats' then coalesce(
        (
            select r.seats from counterfoil.revocations r
            where r.original_transaction_id = p.original_transaction_id and r.bundle_id = p.bundle_id
                and r.environment = p.environment and r.transaction_id = p.transaction_id
            order by r.as_of desc, r.seats desc
            limit 1
        ), 0) end as seats_refunded,
    -- In percent; with a time and no share, Apple leaves open how much.
    trim_scale(s.refunded_share / 1000.0) as refunded_share,
    s.refunded_at
from counterfoil.payment_states s
join counterfoil.payments p
    on p.transaction_id = s.transaction_id and p.bundle_id = s.bundle_id and p.environment = s.environment
left join counterfoil.orders o on o.number = s.paid_order_number;
comment on view counterfoil.purchase_terms is
    'What Apple signed of each payment for the shop to act on: price, offer, plan, storefront, seats. Look one up by transaction_id.';

alter view counterfoil.purchase_terms owner to counterfoil_owner;
grant select on counterfoil.purchase_terms to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
