-- The facts of each payment, and of the order that shows it; one row a payment, in the order given. They are facts, and no verdict.
--
-- Of a payment that no client showed the order is null. Then the row has the app's policy instead: when the ledger starts, and
-- whether it takes the payment's environment from its account: that which was granted it, for which its token speaks, which showed
-- it, or whose subscription it is of.
--
-- order_state: of the order; fulfilled where the ledger says that it is paid, whatever it says of itself.
-- own_order_id: the order that the payment was made for, if another than the one that shows it; looked for only where $15 asks.
-- records_refund_of_part: this database transaction recorded the refund of a part of the granted payment.
-- renewed_account_id: the account whose subscription it renews (renewed_account).
-- Where an account is the order's now, because it was moved, or the other order was transferred, it comes under the order's name.
-- purchase_reason: who made the purchase, as any proof said it.
-- listed_kind: of its product, as the shop lists it. It counts where product_kind is null, as a receipt names no kind. As in
-- insert_payments, what is listed as a consumable and has another original is of no known kind.
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16.
--
-- Idioms: array of one, offset 0, row look-up.
select
    f.is_seen, (select h.order_id from counterfoil.orders h where h.number = f.holder_order_number) as holder_order_id,
    case when f.holder_account_id = u.account_id then o.account_id else f.holder_account_id end as holder_account_id,
    f.holder_transaction_id, f.refunded_as_of, f.refund_recorded_at,
    f.is_partly_refunded, f.is_addition, f.is_bought_again, f.is_anothers, f.token,
    coalesce(e.purchase_reason, f.purchase_reason) as purchase_reason, f.paid_at, f.is_advanced_commerce, f.first_ordered_at,
    l.kind as listed_kind,
    case when r.account_id = u.account_id then o.account_id else r.account_id end as renewed_account_id,
    o.account_id as order_account_id,
    case when own.order_number is null or o.state in ('refunded', 'cancelled') then o.state else 'fulfilled' end as order_state,
    -- Few payments may pay for another order: the others cost nothing here.
    case when e.wants_own_order then (
        select w.order_id
        from counterfoil.orders_for_payment(
            e.bundle_id, e.product_id, v.kind, e.quantity, e.app_account_token, e.paid_at, u.account_id, e.order_id,
            o.created_at) w
    ) end as own_order_id,
    p.ledger_starts_at, p.allows_sandbox,
    (f.holder_order_number is not null and f.is_partly_refunded and f.refund_recorded_at = now()) is true as records_refund_of_part
from unnest(
    $1::text[], -- order_id, or null
    $2::text[], -- bundle_id
    $3::text[], -- environment
    $4::text[], -- transaction_id
    $5::text[], -- original_transaction_id
    $6::text[], -- web_order_line_item_id, or null
    $7::text[], -- product_id
    $8::text[], -- product_kind, or null
    $9::integer[], -- quantity
    $10::timestamptz[], -- purchased_at
    $11::uuid[], -- app_account_token, or null
    $12::text[], -- payment_key, or null: without a kind it is made here
    $13::timestamptz[], -- paid_at
    $14::text[], -- purchase_reason, or null
    $15::boolean[], -- wants_own_order: whether it may pay for another order
    $16::timestamptz[] -- expires_at, or null
) with ordinality as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, app_account_token, payment_key, paid_at, purchase_reason, wants_own_order,
    expires_at, place
)
left join counterfoil.orders o on o.order_id = any (array[e.order_id])
-- A column, so that it can be an argument of what is inlined. Idiom: offset 0.
cross join lateral (select n.account_id from counterfoil.account_now(o.account_id, o.number) n offset 0) u
left join lateral (
    select p.order_number from counterfoil.payments p where p.order_number = any (array[o.number]) offset 0
) own on true
-- The ledger's word for the original, and for what stands alone in its period: a proof may not know it.
left join lateral (
    select
        p.original_transaction_id, case when p.reason is distinct from 'owner_mismatch' then p.account_id end as account_id,
        p.additional_reason is not null or p.granted_at is not null and p.payment_key is null as stands_alone
    from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) s on true
left join lateral (
    select p.kind from counterfoil.products p where p.bundle_id = e.bundle_id and p.product_id = e.product_id offset 0
) l on true
cross join lateral (
    select
        coalesce(
            e.product_kind,
            case when e.transaction_id <> e.original_transaction_id then nullif(l.kind, 'consumable') else l.kind end
        ) as kind,
        coalesce(s.original_transaction_id, e.original_transaction_id) as original_transaction_id
    offset 0
) v
cross join lateral counterfoil.payment_facts(
    e.bundle_id, e.environment, e.transaction_id, v.original_transaction_id,
    case when s.stands_alone is not true then e.web_order_line_item_id end,
    case
        when s.stands_alone then null
        when e.product_kind is null and e.payment_key is null
            then counterfoil.payment_key(v.kind, v.original_transaction_id, e.web_order_line_item_id)
        else e.payment_key
    end,
    v.kind, e.purchased_at, e.app_account_token, u.account_id, o.app_account_token, e.purchase_reason, e.expires_at
) f
cross join lateral (
    select case when v.kind = 'auto_renewable' then counterfoil.renewed_account(
        e.bundle_id, e.environment, v.original_transaction_id, e.purchased_at, e.expires_at,
        coalesce(e.purchase_reason, f.purchase_reason), f.token) end as account_id
    offset 0
) r
left join lateral (
    select
        a.ledger_starts_at,
        e.environment = 'production' or a.sandbox_open_until > now() is true or a.sandbox_policy = 'allow'
        or a.sandbox_policy = 'listed' and (
            select true
            from (
                select coalesce(
                    f.holder_account_id,
                    (select t.account_id from counterfoil.account_of_token(e.bundle_id, f.token) t), s.account_id, r.account_id,
                    case when v.kind = 'auto_renewable' then counterfoil.owner_of_period(
                        e.bundle_id, e.environment, v.original_transaction_id, e.purchased_at, e.expires_at,
                        coalesce(e.purchase_reason, f.purchase_reason)) end) as account_id
                offset 0
            ) w
            cross join lateral counterfoil.account_now(w.account_id) n
            cross join lateral counterfoil.accounts_of(n.account_id) k
            join counterfoil.sandbox_accounts x on x.bundle_id = a.bundle_id and x.account_id = k.account_id
            limit 1
        ) is true as allows_sandbox
    from counterfoil.apps a
    where o.order_id is null and a.bundle_id = any (array[e.bundle_id])
    offset 0
) p on true
order by e.place
