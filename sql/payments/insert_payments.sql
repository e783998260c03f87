-- Keeps verified payments that are not granted, or another name of one that is: payment_states tells which. The order that shows a
-- payment first is remembered.
--
-- One that came to light beside another order is a renewal where it renews a subscription of the account (renewed_account). A later
-- proof may change that: where the first one didn't bear Apple's word, renewal was a guess, and ends with that word.
--
-- A stranger's showing takes nothing away: what is kept with owner_mismatch is taken over by the first account that shows it, and
-- is no stranger to it.
--
-- Of a transaction that shares its period with others the line item isn't kept. Where the proof that showed it first didn't say so,
-- it was taken for a name of another payment, or for a renewal, and is judged anew.
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
-- $19, $20, $21.
--
-- Idiom: array of one.
insert into counterfoil.payments (
    shown_by, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, additional_reason, payment_key, reason, account_id,
    price_milliunits, currency, customer_id, purchase_reason, fits_under, paid_at, is_advanced_commerce
)
-- Several orders of one batch may show one payment.
select distinct on (e.transaction_id, e.bundle_id, e.environment)
    e.order_id, e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_id,
    v.kind, e.quantity, e.purchased_at, e.expires_at, e.app_account_token, e.additional_reason,
    counterfoil.payment_key(v.kind, e.original_transaction_id, e.web_order_line_item_id),
    case
        when r.is_renewal then 'renewal'
        -- Of what a proof shows, the attempt says so.
        when e.order_id is null and e.reason = 'no_order' and e.purchased_at < a.ledger_starts_at then 'before_ledger'
        else e.reason
    end,
    coalesce(o.account_id, r.account_id), e.price_milliunits, e.currency,
    e.customer_id, e.purchase_reason, e.fits_under, e.paid_at, e.is_advanced_commerce
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
    $11::timestamptz[], -- expires_at, or null
    $12::uuid[], -- app_account_token, or null
    $13::text[], -- reason
    $14::text[], -- additional_reason, or null
    $15::bigint[], -- price_milliunits, or null
    $16::text[], -- currency, or null
    $17::text[], -- customer_id, or null
    $18::text[], -- purchase_reason, or null
    $19::integer[], -- fits_under: the number of the policy under which it would pay for a new order, or null
    $20::timestamptz[], -- when it was paid, where that isn't purchased_at; or null
    $21::boolean[] -- is_advanced_commerce: true or null
) as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, reason, additional_reason, price_milliunits, currency, customer_id,
    purchase_reason, fits_under, paid_at, is_advanced_commerce
)
left join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join counterfoil.apps a on a.bundle_id = e.bundle_id
left join lateral (
    select p.kind from counterfoil.products p
    where e.product_kind is null and p.bundle_id = e.bundle_id and p.product_id = e.product_id
) k on true
-- What is listed as a consumable, and shows another original transaction, restores or renews that: its kind isn't known.
cross join lateral (
    select case
        when e.transaction_id <> e.original_transaction_id then nullif(coalesce(e.product_kind, k.kind), 'consumable')
        else coalesce(e.product_kind, k.kind)
    end as kind
) v
cross join lateral (
    select
        e.reason = 'renewal' or w.account_id is not null as is_renewal,
        -- What only a notification shows is its subscription's account's.
        case when e.order_id is null then w.account_id end as account_id
    from (select) x
    left join lateral (
        select w.account_id
        from counterfoil.renewed_account(
            e.bundle_id, e.environment, e.original_transaction_id, e.purchased_at,
            -- Another proof may have borne the word.
            coalesce(
                e.purchase_reason,
                (
                    select p.purchase_reason from counterfoil.payments p
                    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
                )
            )) w
        where e.reason = 'no_order' and v.kind = 'auto_renewable' and (e.order_id is null or w.account_id = o.account_id)
        offset 0
    ) w on true
) r
order by e.transaction_id, e.bundle_id, e.environment, e.purchase_reason is null, r.is_renewal desc, e.order_id
on conflict on constraint one_grant_a_transaction_id do update
set reason = case
        when excluded.additional_reason is not null and excluded.reason <> 'restored'
            and payments.reason in ('restored', 'renewal', 'no_order')
            then 'seats_added'
        -- A purchase renews nothing, whatever was guessed before. Its refund, its other names and a stranger don't say what else it
        -- is.
        when payments.reason = 'renewal' and payments.purchase_reason is null and excluded.purchase_reason = 'purchase'
            then case when excluded.reason in ('refunded', 'restored', 'owner_mismatch') then 'no_order' else excluded.reason end
        -- Its own account shows what a stranger showed before: taken over, below.
        when payments.reason = 'owner_mismatch' and excluded.account_id <> payments.account_id
            and excluded.reason not in (
                'owner_mismatch', 'restored', 'refunded', 'no_order', 'before_ledger', 'unsupported_yet', 'seats_added', 'partly_refunded')
            then excluded.reason
        -- No order pays for it, whichever shows it.
        when excluded.reason = 'unsupported_yet'
            and payments.reason in (
                'no_order', 'order_already_paid', 'order_cancelled', 'wrong_product', 'quantity_short', 'purchase_before_order')
            then excluded.reason
        -- The ledger begins earlier than it did.
        when payments.reason = 'before_ledger' and excluded.reason in ('no_order', 'renewal') then excluded.reason
        -- An order for this product may count on it: see settle_orders.sql.
        when payments.reason = 'no_order' and excluded.reason = 'renewal'
            and payments.product_id is distinct from (
                select o.product_id from counterfoil.orders o where o.order_id = any (array[payments.shown_by])
            )
            -- Apple's word came later. No order counts on what these were kept for.
            or payments.reason in ('order_already_paid', 'order_cancelled', 'wrong_product') and excluded.reason = 'renewal'
            and payments.purchase_reason is null and excluded.purchase_reason = 'renewal'
            -- What renews one order may be meant to pay for another, and a person has to decide about it.
            or payments.reason = 'renewal'
            and excluded.reason not in (
                'renewal', 'no_order', 'order_already_paid', 'order_cancelled', 'wrong_product',
                -- Any receipt may show it, and a stranger may.
                'before_ledger', 'owner_mismatch'
            )
            -- Only a refund had shown it, or a notification.
            or payments.shown_by is null and (
                payments.reason in ('refunded', 'partly_refunded')
                or excluded.shown_by is not null and payments.reason = 'no_order' and excluded.reason <> 'before_ledger'
            )
            then excluded.reason
        else payments.reason
    end,
    -- Its product may have been listed as of another kind; that it is a name of a granted payment tells which is right.
    product_kind = case
        when payments.product_kind is null or excluded.reason = 'restored' then coalesce(excluded.product_kind, payments.product_kind)
        else payments.product_kind
    end,
    payment_key = case
        when coalesce(payments.additional_reason, excluded.additional_reason) is not null then null
        when payments.product_kind is null or excluded.reason = 'restored' and excluded.product_kind is not null
            then excluded.payment_key
        else payments.payment_key
    end,
    additional_reason = coalesce(payments.additional_reason, excluded.additional_reason),
    web_order_line_item_id = case
        when coalesce(payments.additional_reason, excluded.additional_reason) is null then payments.web_order_line_item_id
    end,
    -- A receipt may have lacked it.
    app_account_token = coalesce(payments.app_account_token, excluded.app_account_token),
    price_milliunits = coalesce(payments.price_milliunits, excluded.price_milliunits),
    currency = coalesce(payments.currency, excluded.currency),
    customer_id = coalesce(payments.customer_id, excluded.customer_id),
    purchase_reason = coalesce(payments.purchase_reason, excluded.purchase_reason),
    paid_at = coalesce(payments.paid_at, excluded.paid_at),
    is_advanced_commerce = coalesce(payments.is_advanced_commerce, excluded.is_advanced_commerce),
    (shown_by, account_id, fits_under) = (
        select
            case when t.is_taken_over then excluded.shown_by else coalesce(payments.shown_by, excluded.shown_by) end,
            case when t.is_taken_over then excluded.account_id else coalesce(payments.account_id, excluded.account_id) end,
            -- The latest showing by its account counts.
            case
                when excluded.shown_by is not null
                    and (t.is_taken_over or excluded.account_id = coalesce(payments.account_id, excluded.account_id))
                    then excluded.fits_under
                else payments.fits_under
            end
        from (
            select
                -- Of what a receipt happens to show nobody asked the ledger whose it is: it takes nothing over.
                payments.reason = 'owner_mismatch' and excluded.account_id <> payments.account_id
                and excluded.reason not in (
                    'owner_mismatch', 'restored', 'refunded', 'no_order', 'before_ledger', 'unsupported_yet', 'seats_added',
                    'partly_refunded'
                ) as is_taken_over
        ) t
    )
where payments.order_id is null
