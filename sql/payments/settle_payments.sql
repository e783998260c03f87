-- Moves the orders of payments whose state may have changed: those of the given originals, whatever changed it. What became of each
-- payment, payment_states says; here stands only what that means to its order:
--
-- - a granted payment was refunded: the fulfilled order becomes refunded; it stands after all, or a part of it: fulfilled again;
-- - a payment was taken back before it was granted: an order that a person was to decide about for it becomes refunded, unless
--   another payment may still fulfil it, or the payment is another owner's or for another product, or a proof denies this refund;
-- - a refund was reversed, or is of a part only: an order that was refunded for a payment that it was never granted goes to review,
--   whatever the payment is kept as (a payment that is kept as refund_reversed while its refund stands is taken back);
-- - a refund tells that what was taken for a restore was bought again: an order that was answered so goes to review.
--
-- All orders follow that the payment answered (answered_orders), whoever showed it first.
--
-- The reason of a payment is judged anew, too: what renews a subscription is a renewal again. Of all else a person looks first: it
-- isn't ordered again.
--
-- An order that somebody else moved while this waited for it is left as it is.
--
-- $1 text[]  original transaction ids    $2 text[]  bundle ids    $3 text[]  environments    $4 text[]  transaction ids
--
-- Idioms: array of one, offset 0.
with payment as materialized (
    select s.*
    from (
        -- The ledger's word for the original: a proof may not know it.
        select distinct
            coalesce(p.original_transaction_id, u.original_transaction_id) as original_transaction_id, u.bundle_id, u.environment
        from unnest($1::text[], $2::text[], $3::text[], $4::text[])
            as u (original_transaction_id, bundle_id, environment, transaction_id)
        left join lateral (
            select p.original_transaction_id from counterfoil.payments p
            where p.transaction_id = u.transaction_id and p.bundle_id = u.bundle_id and p.environment = u.environment
            offset 0
        ) p on true
    ) e
    cross join lateral counterfoil.payments_of_original(e.bundle_id, e.environment, e.original_transaction_id) s
), move as materialized (
    select
        o.number,
        case
            when p.order_number = o.number and p.state = 'refunded' and o.state = 'fulfilled' then 'refunded'
            when p.order_number = o.number and p.state = 'granted' and o.state = 'refunded' then 'fulfilled'
            when p.state = 'taken_back' and o.state = 'review' and o.reason <> 'owner_mismatch' and o.product_id = p.product_id
                and not exists (
                    select from counterfoil.unclaimed_for_order(o.order_id) t where t.transaction_id <> p.transaction_id
                )
                -- A proof denies a refund that was known before: an operator decides. A later refund ends that.
                and case when o.reason = 'refund_reversed' then (
                    select r.recorded_at > o.updated_at
                    from counterfoil.refund_of_payment(
                        p.bundle_id, p.environment, p.transaction_id, p.original_transaction_id, p.web_order_line_item_id,
                        p.product_kind, p.purchased_at) r
                ) else true end then 'refunded'
            when p.state in ('unclaimed', 'renewal', 'granted') and o.state = 'refunded' then 'review'
            when p.state = 'unclaimed' and o.state = 'rejected' and o.reason = 'already_owned' then 'review'
        end as state,
        case
            when p.state in ('refunded', 'taken_back') then 'refunded'
            when p.order_number = o.number then null
            when o.state = 'refunded' then case when p.is_partly_refunded then 'partly_refunded' else 'refund_reversed' end
            else 'bought_again_after_revocation'
        end as reason,
        p.transaction_id, p.bundle_id, p.environment, (p.order_number = o.number) is true as is_granted, o.state as former_state,
        o.transaction_id as former_transaction_id
    from payment p
    cross join lateral (
        select unnest(array[p.order_number, p.shown_by_number]) as order_number
        union
        select a.order_number from counterfoil.answered_orders a where a.transaction_id = p.transaction_id
        offset 0
    ) a
    join counterfoil.orders o on o.number = any (array[a.order_number])
    where o.number = p.order_number
        or o.bundle_id = p.bundle_id and o.transaction_id = p.transaction_id
        and (o.environment is null or o.environment = p.environment)
        and (select true from counterfoil.payments g where g.order_number = any (array[o.number])) is null
), judged as (
    update counterfoil.payments p
    set reason = j.reason, fits_under = null
    from (
        select
            s.transaction_id, s.bundle_id, s.environment,
            coalesce(
                (
                    select m.reason from move m
                    where m.state = 'review' and m.transaction_id = s.transaction_id and m.environment = s.environment
                        and m.bundle_id = s.bundle_id
                    limit 1
                ),
                case s.reason
                    when 'refunded' then case
                        when s.is_partly_refunded then 'partly_refunded'
                        -- As if nothing had been refunded.
                        when s.product_kind = 'auto_renewable' and counterfoil.renewed_account(
                            s.bundle_id, s.environment, s.original_transaction_id, s.purchased_at, s.expires_at,
                            (
                                select q.purchase_reason from counterfoil.payments q
                                where q.transaction_id = s.transaction_id and q.bundle_id = s.bundle_id
                                    and q.environment = s.environment
                            ),
                            s.app_account_token) is not null then 'renewal'
                        else 'refund_reversed'
                    end
                    when 'restored' then 'bought_again_after_revocation'
                end
            ) as reason
        from payment s
        where s.state = 'unclaimed'
    ) j
    where p.transaction_id = any (array[j.transaction_id]) and p.bundle_id = j.bundle_id and p.environment = j.environment
        and j.reason is not null
), moved as (
    update counterfoil.orders o
    set state = m.state, reason = m.reason, environment = case when m.is_granted then o.environment else m.environment end,
        version = o.version + 1, updated_at = now()
    from move m
    where m.state is not null and o.number = any (array[m.number]) and o.state = m.former_state
        and o.transaction_id is not distinct from m.former_transaction_id
    returning o.order_id, o.state, o.updated_at
)
-- No attempt left it in review, from which the others are listed.
insert into counterfoil.orders_in_review (order_id, since)
select m.order_id, m.updated_at from moved m where m.state = 'review'
on conflict do nothing
