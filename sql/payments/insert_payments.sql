-- Keeps verified payments that are not granted, or another name of one that is: payment_states tells which. The order that shows a
-- payment first is remembered.
--
-- Every reason is the caller's (Choice): whether a payment renews a subscription, is older than the ledger or may not pay for
-- another reason, the facts of read_payments decide. A renewal that no client showed is its subscription's account's
-- (renewed_account).
--
-- Of a transaction that shares its period with others the line item isn't kept. Where the proof that showed it first didn't say so,
-- it was taken for a name of another payment, or for a renewal, and is judged anew.
--
-- A payment may be shown again: for another order, by another account, or by Apple alone (told). Its reasons are of these kinds:
--
-- - a circumstance, what became of an order: no_order, order_already_paid, order_cancelled, wrong_product, quantity_short,
--   purchase_before_order, token_missing;
-- - a lasting fact of the payment: unsupported_yet, seats_added;
-- - a fact that may end: refund_reversed, partly_refunded, bought_again_after_revocation;
-- - one that the table names itself: renewal, before_ledger, owner_mismatch, restored, refunded, settlement_refused;
-- - a doubt, which another proof or the shop's list may settle: unknown_product, product_kind_mismatch, subscription_unconfirmed,
--   and any other reason.
--
-- The first row that applies decides. Where none does, the kept reason stays.
--
-- | Kept as | Shown as | Becomes |
-- |---|---|---|
-- | restored, renewal, no_order | anything but restored, as an addition to its period | seats_added |
-- | renewal, by a guess | a purchase, by Apple's word | the new reason; no_order for refunded, restored, owner_mismatch |
-- | by a stranger: anything | told, whose it is known now | the new reason, as if no client had shown it |
-- | owner_mismatch; by a stranger: anything | by its account, as below | taken over |
-- | owner_mismatch | by another account: all but owner_mismatch, restored, refunded, settlement_refused | taken over |
-- | owner_mismatch | anything else | stays |
-- | told: refunded, partly_refunded | anything | the new reason |
-- | told: no_order | by a client: all but before_ledger | the new reason |
-- | told: no_order, before_ledger | told: renewal, before_ledger, a fact, a doubt | the new reason |
-- | told: a fact that may end, a doubt | renewal, a doubt; told: no_order, before_ledger, a fact | the new reason |
-- | anything else | owner_mismatch | stays: a stranger's showing takes nothing away |
-- | a circumstance, a doubt | a fact | the fact: no order pays for it, whichever shows it |
-- | a fact that may end | a circumstance, a doubt, renewal | the new reason: the fact has ended |
-- | a doubt | a circumstance | the circumstance: the doubt is settled |
-- | before_ledger | a circumstance, a doubt, renewal | the new reason: the ledger begins earlier than it did |
-- | no_order | renewal, and no order for its product showed it first | renewal |
-- | order_already_paid, order_cancelled, wrong_product | renewal, by Apple's word, which came later | renewal |
-- | renewal | quantity_short, purchase_before_order, token_missing, a fact | the new reason |
-- | renewal | restored, refunded, settlement_refused | the new reason |
-- | renewal | a doubt, for an order that waits for a payment | the doubt: an operator decides |
--
-- The account and the order of a payment are those that showed it first; of one that is taken over, those that took it. Whose it is
-- was asked for each showing: one that isn't owner_mismatch is no stranger's. A refusal is the order's reason: what a stranger
-- shows, and is somebody's by its token or by the other periods, is kept as if only Apple had told of it. A stranger becomes the
-- account of nothing but what is nobody's, kept with owner_mismatch, and that makes nobody its owner (payment_facts). If a token
-- comes to light that speaks for another account than the one that showed it, that one was a stranger.
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
-- $19, $20, $21, $22.
--
-- Idioms: array of one, offset 0.
insert into counterfoil.payments (
    shown_by_number, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id,
    product_kind, quantity, purchased_at, expires_at, app_account_token, additional_reason, payment_key, reason, account_id,
    price_milliunits, currency, customer_id, purchase_reason, fits_under, paid_at, is_advanced_commerce, terms
)
-- Several orders of one batch may show one payment.
select distinct on (e.transaction_id, e.bundle_id, e.environment)
    o.number, e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_id,
    v.kind, e.quantity, e.purchased_at, e.expires_at, e.app_account_token, e.additional_reason,
    counterfoil.payment_key(v.kind, e.original_transaction_id, e.web_order_line_item_id),
    m.reason,
    coalesce(o.account_id, r.account_id), e.price_milliunits, e.currency,
    e.customer_id, e.purchase_reason, case when m.order_id is not null then e.fits_under end, e.paid_at, e.is_advanced_commerce,
    e.terms::jsonb
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
    $20::timestamptz[], -- paid_at, where it isn't purchased_at, or null
    $21::boolean[], -- is_advanced_commerce: true or null
    $22::text[] -- terms, or null
) as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, reason, additional_reason, price_milliunits, currency, customer_id,
    purchase_reason, fits_under, paid_at, is_advanced_commerce, terms
)
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
-- What another proof of the transaction showed: it may have borne the word, or the token. Asked where that matters.
left join lateral (
    select p.purchase_reason, p.app_account_token from counterfoil.payments p
    where (e.reason = 'owner_mismatch' or e.order_id is null and e.reason = 'renewal') and p.transaction_id = e.transaction_id
        and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) x on true
-- Whose it is that a stranger shows, where it is somebody's: it is kept as if the stranger had not shown it.
cross join lateral (
    select case when e.reason = 'owner_mismatch' then coalesce(
        (
            select t.account_id
            from counterfoil.account_of_token(e.bundle_id, coalesce(e.app_account_token, x.app_account_token)) t
            where coalesce(e.app_account_token, x.app_account_token) is not null
        ),
        case when v.kind = 'auto_renewable' then counterfoil.owner_of_period(
            e.bundle_id, e.environment, e.original_transaction_id, e.purchased_at, e.expires_at,
            coalesce(e.purchase_reason, x.purchase_reason)) end
    ) end is not null as is_somebodys
    offset 0
) b
cross join lateral (
    select case when e.order_id is null and e.reason = 'renewal' or b.is_somebodys and v.kind = 'auto_renewable'
        then counterfoil.renewed_account(
            e.bundle_id, e.environment, e.original_transaction_id, e.purchased_at, e.expires_at,
            coalesce(e.purchase_reason, x.purchase_reason), coalesce(e.app_account_token, x.app_account_token))
    end as account_id
    offset 0
) r
cross join lateral (
    select
        case when not b.is_somebodys then e.order_id end as order_id,
        case when not b.is_somebodys then e.reason when r.account_id is not null then 'renewal' else 'no_order' end as reason
) m
left join counterfoil.orders o on o.order_id = any (array[m.order_id])
order by
    e.transaction_id, e.bundle_id, e.environment, m.reason = 'owner_mismatch', m.order_id is null, e.purchase_reason is null,
    m.reason <> 'renewal', m.order_id
on conflict on constraint one_grant_a_transaction_id do update
set -- Its product may have been listed as of another kind: a name of a granted payment tells which is right.
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
    terms = coalesce(payments.terms, excluded.terms),
    purchase_reason = coalesce(payments.purchase_reason, excluded.purchase_reason),
    paid_at = coalesce(payments.paid_at, excluded.paid_at),
    is_advanced_commerce = coalesce(payments.is_advanced_commerce, excluded.is_advanced_commerce),
    (reason, shown_by_number, account_id, fits_under) = (
        select
            n.reason,
            case
                when w.is_taken_over or w.is_disowned then excluded.shown_by_number
                when n.is_strangers then payments.shown_by_number
                else coalesce(payments.shown_by_number, excluded.shown_by_number)
            end,
            case
                when w.is_taken_over or w.is_disowned then excluded.account_id
                when n.is_strangers then payments.account_id
                -- Whose a renewal is that nobody showed may have come to light.
                when w.is_told and w.is_told_again then coalesce(excluded.account_id, payments.account_id)
                else coalesce(payments.account_id, excluded.account_id)
            end,
            -- The latest showing by its account counts.
            case
                when w.is_disowned then null
                when excluded.shown_by_number is not null
                    and (w.is_taken_over or w.shown_account_id = coalesce(w.kept_account_id, w.shown_account_id))
                    then excluded.fits_under
                else payments.fits_under
            end
        from (
            select
                (payments.reason = 'owner_mismatch' or d.token_account_id = d.shown_account_id)
                and (d.shown_account_id <> d.kept_account_id) is true
                and excluded.reason not in ('owner_mismatch', 'restored', 'refunded', 'settlement_refused') as is_taken_over,
                (
                    excluded.shown_by_number is null and payments.shown_by_number is not null
                    and (
                        d.token_account_id <> d.kept_account_id
                        or payments.reason = 'owner_mismatch' and (
                            d.token_account_id is not null
                            or payments.product_kind = 'auto_renewable' and counterfoil.owner_of_period(
                                payments.bundle_id, payments.environment, payments.original_transaction_id, payments.purchased_at,
                                payments.expires_at, coalesce(payments.purchase_reason, excluded.purchase_reason)) is not null
                        )
                    )
                ) is true as is_disowned,
                payments.shown_by_number is null as is_told, excluded.shown_by_number is null as is_told_again,
                d.kept_account_id, d.shown_account_id,
                case
                    when payments.reason in (
                        'no_order', 'order_already_paid', 'order_cancelled', 'wrong_product', 'quantity_short',
                        'purchase_before_order', 'token_missing'
                    ) then 'circumstance'
                    when payments.reason in ('refund_reversed', 'partly_refunded', 'bought_again_after_revocation')
                        then 'fact that may end'
                    when payments.reason in (
                        'unsupported_yet', 'seats_added', 'renewal', 'before_ledger', 'owner_mismatch', 'restored', 'refunded',
                        'settlement_refused'
                    ) then payments.reason
                    else 'doubt'
                end as kept,
                case
                    when excluded.reason in (
                        'no_order', 'order_already_paid', 'order_cancelled', 'wrong_product', 'quantity_short',
                        'purchase_before_order', 'token_missing'
                    ) then 'circumstance'
                    when excluded.reason in (
                        'refund_reversed', 'unsupported_yet', 'seats_added', 'partly_refunded', 'bought_again_after_revocation'
                    ) then 'fact'
                    when excluded.reason in (
                        'renewal', 'before_ledger', 'owner_mismatch', 'restored', 'refunded', 'settlement_refused'
                    ) then excluded.reason
                    else 'doubt'
                end as shown
            from (
                -- For whom a transfer speaks, or the token that any proof of it bore.
                select
                    k.account_id as kept_account_id, x.account_id as shown_account_id,
                    case
                        when k.account_id is distinct from x.account_id
                            and coalesce(payments.app_account_token, excluded.app_account_token) is not null
                            then coalesce(
                                case when payments.product_kind = 'auto_renewable' then counterfoil.account_of_transfer(
                                    payments.bundle_id, payments.environment, payments.original_transaction_id,
                                    payments.purchased_at, coalesce(payments.purchase_reason, excluded.purchase_reason),
                                    coalesce(payments.app_account_token, excluded.app_account_token)) end,
                                (
                                    select t.account_id
                                    from counterfoil.account_of_token(
                                        payments.bundle_id, coalesce(payments.app_account_token, excluded.app_account_token)) t
                                ))
                    end as token_account_id
                from counterfoil.account_now(payments.account_id) k
                cross join counterfoil.account_now(excluded.account_id) x
                offset 0
            ) d
        ) w
        cross join lateral (
            select
                z.reason, excluded.reason = 'owner_mismatch' and z.reason <> 'owner_mismatch' as is_strangers
            from (
                select case
                    -- The table above.
                    when w.is_disowned or w.is_taken_over then excluded.reason
                    when excluded.additional_reason is not null and excluded.reason <> 'restored'
                        and payments.reason in ('restored', 'renewal', 'no_order')
                        then 'seats_added'
                    when payments.reason = 'renewal' and payments.purchase_reason is null
                        and excluded.purchase_reason = 'purchase'
                        then case
                            when excluded.reason in ('refunded', 'restored', 'owner_mismatch') then 'no_order'
                            else excluded.reason
                        end
                    when payments.reason = 'owner_mismatch' then payments.reason
                    when w.is_told and (
                            payments.reason in ('refunded', 'partly_refunded')
                            or payments.reason = 'no_order' and not w.is_told_again and excluded.reason <> 'before_ledger'
                            or payments.reason in ('no_order', 'before_ledger') and w.is_told_again
                            and w.shown in ('renewal', 'before_ledger', 'fact', 'doubt')
                            or w.kept in ('fact that may end', 'doubt') and (
                                w.shown in ('renewal', 'doubt')
                                or w.is_told_again and (excluded.reason = 'no_order' or w.shown in ('before_ledger', 'fact'))
                            )
                        )
                        or w.kept in ('circumstance', 'doubt') and w.shown = 'fact'
                        or w.kept = 'fact that may end' and w.shown in ('circumstance', 'doubt', 'renewal')
                        or w.kept = 'doubt' and w.shown = 'circumstance'
                        or payments.reason = 'before_ledger' and w.shown in ('circumstance', 'doubt', 'renewal')
                        -- An order for this product may count on it: see settle_orders.sql.
                        or payments.reason = 'no_order' and excluded.reason = 'renewal'
                        and payments.product_id is distinct from (
                            select o.product_id from counterfoil.orders o where o.number = any (array[payments.shown_by_number])
                        )
                        -- No order counts on what these were kept for.
                        or payments.reason in ('order_already_paid', 'order_cancelled', 'wrong_product')
                        and excluded.reason = 'renewal'
                        and payments.purchase_reason is null and excluded.purchase_reason = 'renewal'
                        -- What renews one order may be meant to pay for another, and an operator has to decide about it.
                        or payments.reason = 'renewal' and (
                            excluded.reason in (
                                'quantity_short', 'purchase_before_order', 'token_missing', 'restored', 'refunded',
                                'settlement_refused'
                            )
                            or w.shown = 'fact'
                            or w.shown = 'doubt' and (
                                select counterfoil.waits_for_payment(o.state) from counterfoil.orders o
                                where o.number = any (array[excluded.shown_by_number])
                            )
                        )
                        then excluded.reason
                    else payments.reason
                end as reason
                -- Once, and not for each column.
                offset 0
            ) z
        ) n
    )
where payments.order_number is null
