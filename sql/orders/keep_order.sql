-- Makes an order unless it exists, and compares it otherwise: place_order and submit begin with it. Answers:
--
-- - made: it is new;
-- - known: it was made before, with the same content;
-- - seen_anew: as known, and it became an order for a payment that came first.

create or replace function counterfoil.keep_order(
    order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean
) returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    known counterfoil.orders;
begin
    -- An account that was moved takes no new orders (refuse_order); what it ordered before is known.
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery)
    values (
        keep_order.order_id, keep_order.bundle_id, keep_order.product_id, keep_order.account_id, keep_order.quantity,
        keep_order.app_account_token, keep_order.recovery
    )
    on conflict on constraint order_ids_are_unique do nothing;
    if found then
        return 'made';
    end if;

    select * into known from counterfoil.orders o where o.order_id = keep_order.order_id;
    if (known.bundle_id, known.product_id, known.quantity)
            is distinct from (keep_order.bundle_id, keep_order.product_id, keep_order.quantity)
        or (select n.account_id from counterfoil.account_now(known.account_id, known.number) n)
            is distinct from (select k.account_id from counterfoil.account_asked(keep_order.account_id) k)
        or known.app_account_token is distinct from keep_order.app_account_token
    then
        perform counterfoil.refuse('order_ids_are_unique');
    end if;
    if keep_order.recovery and not known.recovery then
        update counterfoil.orders o set recovery = true where o.order_id = keep_order.order_id;
        return 'seen_anew';
    end if;
    return 'known';
end
$$;
comment on function counterfoil.keep_order(text, text, text, text, integer, uuid, boolean) is
    'Private: makes an order unless it exists with the same content.';
