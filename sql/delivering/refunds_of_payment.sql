-- All entries of revocations about a granted payment, under any of its names, each as the shop's function is given it.

create or replace function counterfoil.refunds_of_payment(of_id text, of_bundle text, of_environment text)
returns table (id bigint, as_of timestamptz, refund counterfoil.refund)
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select
        r.id, r.as_of,
        row(
            s.order_id, s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.product_id, s.product_kind,
            s.quantity, s.account_id, s.app_account_token, s.is_refunded, trim_scale(s.refunded_share / 1000.0),
            r.kind, trim_scale(r.share / 1000.0), r.seats, r.revocation_type, r.revocation_reason, r.occurred_at, r.as_of
        )::counterfoil.refund
    from counterfoil.payment_states s
    join counterfoil.revocations r
        on r.original_transaction_id = s.original_transaction_id and r.bundle_id = s.bundle_id and r.environment = s.environment
    where s.transaction_id = of_id and s.bundle_id = of_bundle and s.environment = of_environment and s.order_id is not null
        and (
            r.transaction_id = s.transaction_id
            -- A reversal is of what was taken back before.
            or exists (
                select
                from counterfoil.revocations v
                where v.original_transaction_id = s.original_transaction_id and v.bundle_id = s.bundle_id
                    and v.environment = s.environment and v.transaction_id = r.transaction_id and v.kind = 'revocation'
                    and counterfoil.is_one_payment(
                        s.bundle_id, s.environment, s.original_transaction_id, s.product_kind, s.web_order_line_item_id,
                        s.purchased_at,
                        (
                            select n.product_kind from counterfoil.payments n
                            where n.transaction_id = r.transaction_id and n.bundle_id = s.bundle_id
                                and n.environment = s.environment
                        ),
                        v.web_order_line_item_id, coalesce(v.purchased_at, v.occurred_at))
            )
        )
$$;
comment on function counterfoil.refunds_of_payment(text, text, text) is
    'Private: the revocations and reversals of a granted payment, as a shop''s function is given them.';
