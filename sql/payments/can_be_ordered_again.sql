-- Whether a payment that nothing was granted for pays for a new order of its account, product and quantity, when its proof is uploaded for
-- that: the settlement would grant it. Never where a person has to look first.
--
-- It was shown for an order made before the payment, so that its age says nothing against it (payment_facts: first_ordered_at).
--
-- Polls of such an order call it each time, and an SQL function would be planned anew in each. Idiom: generic plan.
create or replace function counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
    return true is not distinct from (
        select
            s.state = 'unclaimed'
            and s.reason in (
                'wrong_product', 'quantity_short', 'order_already_paid', 'order_cancelled', 'no_order', 'purchase_before_order')
            and s.purchased_at >= o.created_at - a.purchase_time_tolerance
            and s.purchased_at >= coalesce(a.ledger_starts_at, '-infinity')
            and (o.app_account_token is null or s.app_account_token is not null or a.absent_token_policy <> 'review')
            -- A restore names no date of its purchase; a period without a number of its own needs Apple's word.
            and case
                when s.product_kind = 'auto_renewable' then s.web_order_line_item_id is not null
                else s.transaction_id = s.original_transaction_id
            end
            -- Apple's kind differs from the listed one.
            and s.product_kind = coalesce(
                (select p.kind from counterfoil.products p where p.bundle_id = s.bundle_id and p.product_id = s.product_id),
                s.product_kind
            )
            and g.is_clear
        from counterfoil.payment_states s
        join counterfoil.orders o on o.order_id = s.shown_by and o.account_id = s.account_id
        join counterfoil.apps a on a.bundle_id = s.bundle_id
        cross join lateral counterfoil.payment_facts(
            s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.web_order_line_item_id, s.payment_key,
            s.product_kind, s.purchased_at, s.app_account_token, s.account_id, o.app_account_token) g
        where s.transaction_id = of_id and s.bundle_id = of_bundle and s.environment = of_environment
    );
end
$$;
comment on function counterfoil.can_be_ordered_again(text, text, text) is
    'Private: whether a payment pays for a new order of its account, product and quantity.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.can_be_ordered_again(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
