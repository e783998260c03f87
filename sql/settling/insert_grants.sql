-- Grants each order its transaction unless a fact stands against it (payment_facts), and returns the orders that were granted.
--
-- What doesn't come back was refused: whoever wants to know why reads the facts (read_payments). The unique keys are the guard; the
-- facts before them spare a conflict.
-- Payments that were seen before are locked by lock_payments.sql.
--
-- The order's number is looked up: the order may be another than the job's (lock_own_orders), or an operator's choice.
--
-- An order is locked by its own update, or was before. If it was moved meanwhile, it isn't paid: paid counts the orders that are.
-- Where fewer are paid than granted, the caller rolls back, and settles with the orders locked first.
--
-- Parameters, an element a grant: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
-- $21. And $22 bool: an operator decided whose the payments are, and that they count although a part of them, or one of the same
-- original, was refunded before, or although their period has other payments.
--
-- Idioms: array of one, offset 0.
with entry as materialized (
    -- One payment may come twice, of two orders whose proofs say different things of it.
    -- The order may bear another name of the account than the job's: it was written before a move.
    select distinct on (e.granted_key, e.bundle_id, e.environment)
        e.*, o.number as order_number, o.account_id as written_account_id, a.is_seen is true as is_seen
    from (
        select *, coalesce(u.payment_key, u.transaction_id) collate "C" as granted_key
        from unnest(
            $1::text[], -- order_id
            $2::bigint[], -- job_id
            $3::text[], -- bundle_id
            $4::text[], -- environment
            $5::text[], -- transaction_id
            $6::text[], -- original_transaction_id
            $7::text[], -- web_order_line_item_id, or null
            $8::text[], -- product_id
            $9::text[], -- product_kind
            $10::integer[], -- quantity
            $11::timestamptz[], -- purchased_at
            $12::timestamptz[], -- expires_at, or null
            $13::uuid[], -- app_account_token, or null
            $14::text[], -- payment_key, or null
            $15::text[], -- account_id of the order
            $16::uuid[], -- order_token: app_account_token of the order, or null
            $17::bigint[], -- price_milliunits, or null
            $18::text[], -- currency, or null
            $19::text[], -- customer_id, or null
            $20::text[], -- purchase_reason, or null
            $21::text[] -- terms, or null
        ) as u (
            order_id, job_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id,
            product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, payment_key, account_id, order_token,
            price_milliunits, currency, customer_id, purchase_reason, terms
        )
    ) e
    join counterfoil.orders o on o.order_id = any (array[e.order_id])
    -- Of most payments the ledger knows nothing, under any name: then only a token may stand against the grant. This spares the
    -- look-ups of payment_facts, and is no rule: where it holds, is_clear does.
    cross join lateral (
        select
            (e.app_account_token is null or (e.app_account_token = e.order_token) is true)
            and e.transaction_id = e.original_transaction_id
            and (
                select true from counterfoil.payments p
                where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
            ) is null
            and (
                select true from counterfoil.payments p
                where p.original_transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
                    and p.original_transaction_id <> p.transaction_id
                limit 1
            ) is null
            and (
                select true from counterfoil.payments p
                where p.payment_key = e.payment_key and p.bundle_id = e.bundle_id and p.environment = e.environment
                    and p.granted_at is not null
            ) is null
            and (
                select true from counterfoil.revocations r
                where r.original_transaction_id = e.transaction_id and r.bundle_id = e.bundle_id and r.environment = e.environment
                limit 1
            ) is null as is_unheard_of
        offset 0
    ) q
    -- The ledger's word for the original: a proof may not know it.
    left join lateral (
        select p.original_transaction_id from counterfoil.payments p
        where not q.is_unheard_of and p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id
            and p.environment = e.environment
        offset 0
    ) s on true
    left join lateral (
        select a.is_seen, a.is_clear, a.holder_order_number, a.refunded_as_of
        from counterfoil.payment_facts(
            e.bundle_id, e.environment, e.transaction_id, coalesce(s.original_transaction_id, e.original_transaction_id),
            e.web_order_line_item_id, e.payment_key,
            e.product_kind, e.purchased_at, e.app_account_token, e.account_id, e.order_token, e.purchase_reason, e.expires_at
        ) a
        where not q.is_unheard_of
        offset 0
    ) a on true
    where q.is_unheard_of
        or a.is_clear
        or $22::boolean and a.holder_order_number is null and a.refunded_as_of is null
    order by e.granted_key, e.bundle_id, e.environment, e.order_id
), unclaimed as (
    update counterfoil.payments p
    set order_number = e.order_number, granted_at = now(), job_id = e.job_id, reason = null, product_kind = e.product_kind,
        payment_key = e.payment_key, account_id = e.written_account_id, web_order_line_item_id = e.web_order_line_item_id,
        quantity = e.quantity, purchased_at = e.purchased_at, expires_at = e.expires_at, app_account_token = e.app_account_token,
        -- A receipt that pays names none, and the proof that showed it first may have.
        price_milliunits = coalesce(e.price_milliunits, p.price_milliunits),
        currency = case when e.price_milliunits is null then p.currency else e.currency end,
        terms = coalesce(e.terms::jsonb, p.terms),
        customer_id = coalesce(e.customer_id, p.customer_id), purchase_reason = coalesce(e.purchase_reason, p.purchase_reason)
    from entry e
    where e.is_seen and p.transaction_id = any (array[e.transaction_id]) and p.bundle_id = e.bundle_id
        and p.environment = e.environment and p.granted_at is null
        -- Another payment was granted to the order: the keys would refuse all that is granted here.
        and (select true from counterfoil.payments g where g.order_number = any (array[e.order_number])) is null
    returning p.order_number, p.transaction_id, p.environment
), unseen as (
    insert into counterfoil.payments (
        order_number, granted_at, job_id, bundle_id, environment, payment_key, transaction_id, original_transaction_id,
        web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, account_id,
        price_milliunits, currency, customer_id, purchase_reason, terms
    )
    select
        e.order_number, now(), e.job_id, e.bundle_id, e.environment, e.payment_key, e.transaction_id,
        e.original_transaction_id, e.web_order_line_item_id, e.product_id, e.product_kind, e.quantity, e.purchased_at, e.expires_at,
        e.app_account_token, e.written_account_id, e.price_milliunits, e.currency, e.customer_id, e.purchase_reason,
        e.terms::jsonb
    from entry e
    where not e.is_seen
    order by e.granted_key, e.bundle_id, e.environment
    on conflict do nothing
    returning order_number, transaction_id, environment
), granted as (
    select * from unclaimed
    union all
    select * from unseen
), paid as (
    update counterfoil.orders o
    set state = 'fulfilled', reason = null, transaction_id = g.transaction_id, environment = g.environment,
        fulfilled_at = now(), updated_at = now(), version = o.version + 1, attempts = o.attempts + 1, last_attempt_at = now()
    from granted g
    where o.number = any (array[g.order_number]) and counterfoil.waits_for_payment(o.state)
    returning o.number, o.version
), told as (
    -- A row of the feed has up to 100 orders. Numbered last, when the orders are locked.
    insert into counterfoil.changes (kind, orders, versions)
    select 'order_fulfilled', array_agg(p.number order by p.number), array_agg(p.version order by p.number)
    from (select *, (row_number() over (order by o.number) - 1) / 100 as part from paid o) p
    group by p.part
)
select
    (select e.order_id from entry e where e.order_number = g.order_number limit 1) as order_id, (select count(*) from paid) as paid
from granted g
