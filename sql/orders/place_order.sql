-- An order without a proof: submit without its upload.

create or replace function counterfoil.place_order(
    order_id text, bundle_id text, product_id text, account_id text, quantity integer default 1,
    app_account_token uuid default null, recovery boolean default false
) returns setof counterfoil.order_status
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    perform counterfoil.keep_order(
        place_order.order_id, place_order.bundle_id, place_order.product_id, place_order.account_id, place_order.quantity,
        place_order.app_account_token, place_order.recovery
    );
    return query select * from counterfoil.order_status s where s.order_id = place_order.order_id;
end
$$;
comment on function counterfoil.place_order(text, text, text, text, integer, uuid, boolean) is
    'Makes the order unless it exists, and returns its status. Safe to repeat.';

grant execute on function counterfoil.place_order(text, text, text, text, integer, uuid, boolean)
    to counterfoil_backend, counterfoil_support;
