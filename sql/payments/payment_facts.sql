-- The facts of one payment, for an account and the token of its order; and no verdict. insert_grants refuses by is_clear, and asks
-- no reason; read_payments has the facts for whoever weighs them.
--
-- Always one row:
-- - is_seen: the transaction has a row of its own;
-- - holder_…: the number of the order that the payment was granted to, under any of its names;
-- - refunded_as_of: it was refunded as a whole, Apple said for that time;
-- - is_partly_refunded: it was refunded in part, or nobody knows how much of it;
-- - refund_recorded_at: when the ledger learnt of either;
-- - is_addition: its period has several transactions, each with a payment of its own;
-- - is_bought_again: of what is bought for good, another payment of the same original was refunded before, or holds its key;
-- - is_anothers: it seems to be another account's. A transfer of its subscription settles that, else a token that speaks for an
--   account: the proof's, or the one that is known of it. One that orders of two accounts bear speaks for nobody, also where the
--   order bears it. Else a period belongs where the other periods say (owner_of_period), and any payment to the account that showed
--   it first, unless that one was taken for a stranger itself;
-- - is_advanced_commerce: any proof of the transaction was of Apple's Advanced Commerce;
-- - is_clear: none of these stands against a grant;
-- - token, purchase_reason, paid_at: as any proof of the transaction showed them; paid_at only where it isn't
--   purchased_at;
-- - first_ordered_at: when the order was made for which this account showed it first.
--
-- Each is a look-up of its own for each call: as joins the planner may well read a whole index. Those after is_clear but
-- is_advanced_commerce cost a caller nothing that doesn't name them.
create or replace function counterfoil.payment_facts(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text,
    of_purchased_at timestamptz, of_token uuid, by_account text, order_token uuid, of_reason text default null,
    of_expires_at timestamptz default null
)
returns table (
    is_seen boolean, holder_order_number bigint, holder_account_id text, holder_transaction_id text,
    refunded_as_of timestamptz, refund_recorded_at timestamptz, is_partly_refunded boolean, is_addition boolean,
    is_bought_again boolean, is_anothers boolean, is_clear boolean,
    token uuid, purchase_reason text, paid_at timestamptz, is_advanced_commerce boolean, first_ordered_at timestamptz
)
language sql stable
begin atomic
    select
        f.is_seen, f.holder_order_number, f.holder_account_id, f.holder_transaction_id, f.refunded_as_of, f.refund_recorded_at,
        f.is_partly_refunded, f.is_addition, f.is_bought_again, f.is_anothers,
        f.holder_order_number is null and f.refunded_as_of is null
        and not (f.is_partly_refunded or f.is_addition or f.is_bought_again or f.is_anothers or f.is_advanced_commerce),
        f.token, f.purchase_reason, f.paid_at, f.is_advanced_commerce,
        (
            select o.created_at from counterfoil.orders o
            where o.number = any (array[f.shown_by_number]) and f.account_id = f.by_account
                and (select a.account_id from counterfoil.account_now(o.account_id, o.number) a) = f.by_account
        )
    from (
        select
            n.is_seen, n.order_number as holder_order_number, n.holder_account_id, n.holder_transaction_id,
            case when r.is_whole then r.as_of end as refunded_as_of,
            r.recorded_at as refund_recorded_at,
            coalesce(not r.is_whole, false) as is_partly_refunded, n.is_addition,
            (
                of_kind in ('non_consumable', 'non_renewing') and (
                    select true
                    from counterfoil.refunds_before(of_bundle, of_environment, of_id, of_original, of_kind, of_purchased_at)
                    limit 1
                ) is not null
                -- Its key is held by another payment of the same original.
                or of_kind in ('non_consumable', 'non_renewing') and n.order_number is null and (
                    select true from counterfoil.payments p
                    where p.payment_key = of_key and p.bundle_id = of_bundle and p.environment = of_environment
                        and p.granted_at is not null
                ) is not null
            ) is true as is_bought_again,
            case
                when v.account_id is not null then v.account_id <> b.account_id
                -- Of another order: it passes if that order is this account's.
                when t.token <> order_token then (
                    select a.account_id from counterfoil.account_of_token(of_bundle, t.token) a
                ) is distinct from b.account_id
                else coalesce(
                    case when t.token is not null then (
                        select a.account_id from counterfoil.account_of_token(of_bundle, t.token) a
                    ) end,
                    case when of_kind = 'auto_renewable' then counterfoil.owner_of_period(
                        of_bundle, of_environment, of_original, of_purchased_at, of_expires_at,
                        coalesce(of_reason, n.purchase_reason)) end,
                    n.shown_by_account_id
                ) <> b.account_id
            end is true as is_anothers,
            t.token, n.purchase_reason, n.paid_at, n.is_advanced_commerce, n.shown_by_number, n.account_id,
            b.account_id as by_account
        from (
            select
                coalesce(bool_or(p.transaction_id = of_id), false) as is_seen,
                coalesce(bool_or(p.transaction_id = of_id and p.additional_reason is not null), false) as is_addition,
                max(p.order_number) as order_number,
                max(p.account_id) filter (where p.order_number is not null) as holder_account_id,
                max(p.transaction_id) filter (where p.order_number is not null) as holder_transaction_id,
                (array_agg(p.account_id order by p.seen_at, p.transaction_id) filter (
                    where p.order_number is null and p.account_id is not null and p.reason <> 'owner_mismatch'
                ))[1] as shown_by_account_id,
                max(p.purchase_reason) filter (where p.transaction_id = of_id) as purchase_reason,
                max(p.paid_at) filter (where p.transaction_id = of_id) as paid_at,
                coalesce(bool_or(p.transaction_id = of_id and p.is_advanced_commerce), false) as is_advanced_commerce,
                max(p.shown_by_number) filter (where p.transaction_id = of_id) as shown_by_number,
                max(p.account_id) filter (where p.transaction_id = of_id) as account_id
            from counterfoil.names_of_payment(
                of_bundle, of_environment, of_id, of_original, of_item, of_key, of_kind, of_purchased_at) p
        ) n
        -- A receipt may lack the token that a signed transaction showed before. Idiom: offset 0.
        cross join lateral (
            select coalesce(
                of_token,
                case when n.is_seen then (
                    select p.app_account_token from counterfoil.payments p
                    where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
                ) end
            ) as token
            offset 0
        ) t
        left join lateral counterfoil.refund_of_payment(
            of_bundle, of_environment, of_id, of_original, of_item, of_kind, of_purchased_at) r on true
        cross join lateral counterfoil.account_now(by_account) b
        cross join lateral (
            select case when of_kind = 'auto_renewable' then counterfoil.account_of_transfer(
                of_bundle, of_environment, of_original, of_purchased_at, coalesce(of_reason, n.purchase_reason), t.token)
            end as account_id
            offset 0
        ) v
    ) f;
end;
comment on function counterfoil.payment_facts(
    text, text, text, text, text, text, text, timestamptz, uuid, text, uuid, text, timestamptz) is
    'Private: the facts of a payment, for an account and its order''s token.';
grant execute on function counterfoil.payment_facts(
    text, text, text, text, text, text, text, timestamptz, uuid, text, uuid, text, timestamptz)
    to counterfoil_worker, counterfoil_support;
