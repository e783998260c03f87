-- Whether a payment that nothing was granted for pays for a new order of its account, product and quantity, when its proof is
-- uploaded for that: the settlement would grant it. Never where a person has to look first.
--
-- The settlement of the proof that its account showed last found so (fits_under), and the app's policy is the same. What the ledger
-- learnt since, and what the shop lists or takes from its sandbox now, is asked here.
--
-- Polls of such an order call it each time, and an SQL function would be planned anew in each. Idiom: generic plan.
create or replace function counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
    return true is not distinct from (
        select
            p.order_number is null and p.reason <> 'renewal'
            and p.fits_under = o.policy_number
            and (p.environment = 'production' or o.allows_sandbox)
            -- Apple's kind differs from the listed one.
            and p.product_kind = coalesce(
                (select l.kind from counterfoil.products l where l.bundle_id = p.bundle_id and l.product_id = p.product_id),
                p.product_kind
            )
            and f.is_clear
        from counterfoil.payments p
        join counterfoil.order_facts o on o.order_number = p.shown_by_number and o.account_id = p.account_id
        cross join lateral counterfoil.payment_facts(
            p.bundle_id, p.environment, p.transaction_id, p.original_transaction_id, p.web_order_line_item_id, p.payment_key,
            p.product_kind, p.purchased_at, p.app_account_token, p.account_id, o.app_account_token,
            p.purchase_reason, p.expires_at) f
        where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
    );
end
$$;
comment on function counterfoil.can_be_ordered_again(text, text, text) is
    'Private: whether a payment pays for a new order of its account, product and quantity.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.can_be_ordered_again(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
