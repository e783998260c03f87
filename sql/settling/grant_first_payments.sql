-- Grants payments that the ledger has no word of, and ends their jobs: all that most attempts have to write, in one statement.
--
-- A payment that the ledger has any word of is left out, with its job, and doesn't come back: the statements of all settlements
-- decide about it (insert_grants). What is left out here decides nothing, and spares those statements the most of their work.
--
-- The unique keys and the fence are the guard. If a lease is lost, or an order was moved meanwhile, fewer jobs end or orders are
-- paid than payments are granted: then nothing is written, by an error (refuse_moved_grants). So it is if somebody else grants one
-- of these payments at the same moment (23505).
--
-- Returns the jobs that ended. The attempt's history stands in the payment's row (the view attempts).
--
-- Payments that may have several names are locked by lock_originals.sql before. A payment under its own id is locked by its row,
-- which this statement inserts.
--
-- Parameters, an element a grant: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
-- $22, $23, $24, $25, $26. And $27 int8, the worker.
--
-- Idioms: array of one, lateral look-up, lease not state, array of ids.
with entry as materialized (
    select u.*
    from unnest(
        $1::bigint[], -- order_number
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
        $21::bigint[], -- lease_token
        $22::integer[], -- attempt
        $23::text[], -- proof_kind, or null
        $24::timestamptz[], -- submitted_at
        $25::timestamptz[], -- claimed_at
        $26::text[] -- terms, or null
    ) as u (
        order_number, job_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id,
        product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, payment_key, account_id, order_token,
        price_milliunits, currency, customer_id, purchase_reason, lease_token, attempt, proof_kind, submitted_at, claimed_at,
        terms
    )
    where (u.app_account_token is null or (u.app_account_token = u.order_token) is true)
        and u.transaction_id = u.original_transaction_id
        and (
            select true from counterfoil.payments p
            where p.transaction_id = u.transaction_id and p.bundle_id = u.bundle_id and p.environment = u.environment
        ) is null
        and (
            select true from counterfoil.payments p
            where p.original_transaction_id = u.transaction_id and p.bundle_id = u.bundle_id and p.environment = u.environment
                and p.original_transaction_id <> p.transaction_id
            limit 1
        ) is null
        and (
            select true from counterfoil.payments p
            where p.payment_key = u.payment_key and p.bundle_id = u.bundle_id and p.environment = u.environment
                and p.granted_at is not null
        ) is null
        and (
            select true from counterfoil.revocations r
            where r.original_transaction_id = u.transaction_id and r.bundle_id = u.bundle_id and r.environment = u.environment
            limit 1
        ) is null
), ended as (
    delete from counterfoil.jobs j
    using entry e
    where j.id = any (array[e.job_id]) and j.lease_token = e.lease_token and j.lease_expires_at is not null
    returning j.id
), granted as (
    insert into counterfoil.payments (
        order_number, granted_at, job_id, bundle_id, environment, payment_key, transaction_id, original_transaction_id,
        web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, account_id,
        price_milliunits, currency, customer_id, purchase_reason, attempt, lease_token, worker_id, submitted_at, claimed_at,
        proof_kind, terms
    )
    select
        e.order_number, now(), e.job_id, e.bundle_id, e.environment, e.payment_key, e.transaction_id,
        e.original_transaction_id, e.web_order_line_item_id, e.product_id, e.product_kind, e.quantity, e.purchased_at, e.expires_at,
        e.app_account_token, e.account_id, e.price_milliunits, e.currency, e.customer_id, e.purchase_reason, e.attempt,
        e.lease_token, $27::bigint, e.submitted_at, e.claimed_at, e.proof_kind, e.terms::jsonb
    from entry e
    order by coalesce(e.payment_key, e.transaction_id) collate "C", e.bundle_id, e.environment
    returning order_number
), paid as (
    update counterfoil.orders o
    set state = 'fulfilled', reason = null, transaction_id = e.transaction_id, environment = e.environment,
        fulfilled_at = now(), updated_at = now(), version = o.version + 1, attempts = o.attempts + 1, last_attempt_at = now()
    from entry e
    where o.number = any (array[e.order_number]) and counterfoil.waits_for_payment(o.state)
    returning o.number, o.version
), told as (
    -- A row of the feed has up to 100 orders. Numbered last, when the orders are locked.
    insert into counterfoil.changes (kind, orders, versions)
    select 'order_fulfilled', array_agg(p.number order by p.number), array_agg(p.version order by p.number)
    from (select *, (row_number() over (order by o.number) - 1) / 100 as part from paid o) p
    group by p.part
), next as materialized (
    -- As in lock_settling_jobs: what waited for these jobs is due from now on.
    select w.id
    from entry e
    cross join lateral (
        select j.id
        from counterfoil.jobs j
        where j.order_number = e.order_number and not j.is_alone and j.state not in ('running', 'discarded') and j.run_at < now()
        limit 100
        for no key update of j skip locked
    ) w
), called as (
    update counterfoil.jobs j set run_at = now() where j.id = any (array(select n.id from next n))
)
select e.job_id
from entry e
where (select count(*) from entry) = all (
        array[(select count(*) from ended), (select count(*) from granted), (select count(*) from paid)]
    )
    or counterfoil.refuse_moved_grants()
