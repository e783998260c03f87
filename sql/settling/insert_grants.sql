-- Grants each order its transaction unless something stands against it, and returns the orders that were granted.
--
-- What doesn't come back was refused by the ledger: read_ledger.sql says why. The unique keys are the guard; the
-- conditions before them spare a conflict. Whatever they refuse, read_ledger.sql must tell: they change together. Orders
-- are locked by lock_settling_jobs.sql.
--
-- Each condition is a look-up of its own for each entry: written as "not exists" or with an "or" between two keys they become
-- joins, which the planner may well do by reading a whole index. Orders are named by arrays of one, as in claim_jobs.sql.
--
-- $1 text[]  orders                      $7 text[]  web order line item ids, or null
-- $2 int8[]  jobs                        $8 text[]  products
-- $3 text[]  bundle ids                  $9 text[]  kinds of product
-- $4 text[]  environments               $10 int4[]  quantities
-- $5 text[]  transaction ids            $11 timestamptz[]  purchased at
-- $6 text[]  original transaction ids   $12 timestamptz[]  expires at, or null
-- $13 uuid[]  app account tokens, or null
-- $14 text[]  grant keys
-- $15 bool    an operator decided whose the payments are, and that they count although what they renew was taken back
with entry as materialized (
    -- One transaction may come twice under two keys, of two orders whose proofs say different things of it.
    select distinct on (e.bundle_id, e.transaction_id, e.environment) e.*, o.account_id
    from unnest(
        $1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::integer[], $11::timestamptz[], $12::timestamptz[], $13::uuid[], $14::text[]
    ) as e (
        order_id, job_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id,
        product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, grant_key
    )
    join counterfoil.orders o on o.order_id = any (array[e.order_id])
    where o.state in ('open', 'rejected', 'review')
        and (
            select true
            from counterfoil.grants_of_payment(
                e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                e.product_kind, e.purchased_at
            )
            limit 1
        ) is null
        and (
            select true
            from counterfoil.revocations_of_payment(
                e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                e.product_kind, e.purchased_at
            )
            limit 1
        ) is null
        -- Bought again after a refund, or renewed after one that stands.
        and (
            $15::boolean
            or (
                select true
                from counterfoil.refunds_before(
                    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.product_kind, e.purchased_at
                )
                limit 1
            ) is null
        )
        and (
            $15::boolean or e.app_account_token is null or o.app_account_token is not null
            or (
                select true from counterfoil.orders x
                where x.app_account_token = e.app_account_token and x.account_id <> o.account_id
                    and x.bundle_id = o.bundle_id
                limit 1
            ) is null
        )
        -- Another account showed it first: only a token that names this order proves whose it is.
        and (
            $15::boolean or e.app_account_token = o.app_account_token
            or coalesce((
                select u.account_id
                from counterfoil.unclaimed_of_payment(
                    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                    e.product_kind, e.purchased_at
                ) u
                order by u.first_seen_at, u.transaction_id collate "C"
                limit 1
            ), o.account_id) = o.account_id
        )
    order by e.bundle_id, e.transaction_id, e.environment, e.order_id
), granted as (
    insert into counterfoil.grants (
        order_id, job_id, bundle_id, environment, grant_key, transaction_id, original_transaction_id,
        web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token,
        account_id
    )
    select
        e.order_id, e.job_id, e.bundle_id, e.environment, e.grant_key, e.transaction_id, e.original_transaction_id,
        e.web_order_line_item_id, e.product_id, e.product_kind, e.quantity, e.purchased_at, e.expires_at,
        e.app_account_token, e.account_id
    from entry e
    order by e.bundle_id, e.environment, e.grant_key
    on conflict do nothing
    returning
        id, order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_kind,
        purchased_at
), named as (
    -- No "on conflict": another grant of this very id, made meanwhile, must undo all of this.
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select g.bundle_id, g.environment, g.transaction_id, g.id from granted g
), claimed as (
    delete from counterfoil.unclaimed_transactions d
    where d.ctid = any (array(
        select u.place
        from granted g
        cross join lateral counterfoil.unclaimed_of_payment(
            g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.web_order_line_item_id, g.product_kind,
            g.purchased_at
        ) u
    ))
    returning d.*
), held as (
    -- As an id for good, or as a restore until a refund tells otherwise.
    select
        c as payment, g.id as grant_id,
        counterfoil.is_surely_one_payment(
            c.web_order_line_item_id, c.purchased_at, g.web_order_line_item_id, g.purchased_at) as is_sure
    from claimed c
    join granted g
        on g.bundle_id = c.bundle_id and g.environment = c.environment
        and g.original_transaction_id = c.original_transaction_id and g.transaction_id <> c.transaction_id
), named_again as (
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select (h.payment).bundle_id, (h.payment).environment, (h.payment).transaction_id, h.grant_id from held h where h.is_sure
    on conflict do nothing
), restored as (
    insert into counterfoil.restored_transactions
    select (h.payment).*, h.grant_id from held h where not h.is_sure
    on conflict do nothing
), paid as (
    update counterfoil.orders o
    set state = 'fulfilled', reason = null, transaction_id = g.transaction_id, environment = g.environment,
        fulfilled_at = now(), updated_at = now(), attempts = o.attempts + 1, last_attempt_at = now()
    from granted g
    where o.order_id = any (array[g.order_id])
)
select g.order_id from granted g
