-- Makes a function of the shop's the one that is called for refunds: in the database transaction that records them, with a
-- counterfoil.refund, once for
--
-- - each fulfilled order that becomes refunded, and each refunded one that is fulfilled again;
-- - each revocation or reversal of a granted payment that moves its order to neither.
--
-- An import doesn't call it. Called again it replaces the function; null takes it away. For who owns the schema. The function
-- never has the rights of who settles: call_shop.

create or replace function counterfoil.deliver_refunds_by(shops_function text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
declare
    called constant text := counterfoil.find_shops_function(shops_function, 'counterfoil.refund');
begin
    drop trigger if exists deliver_refunds_by_move on counterfoil.orders;
    drop trigger if exists deliver_refunds_by_entry on counterfoil.revocations;
    if called is not null then
        execute format(
            'create trigger deliver_refunds_by_move after update of state on counterfoil.orders for each row '
            'when (old.state <> new.state and old.state in (''fulfilled'', ''refunded'') '
            'and new.state in (''fulfilled'', ''refunded'')) '
            'execute function counterfoil.deliver_refund(%L)', called);
        execute format(
            'create trigger deliver_refunds_by_entry after insert on counterfoil.revocations for each row '
            'execute function counterfoil.deliver_refund(%L)', called);
    end if;
end
$$;
comment on function counterfoil.deliver_refunds_by(text) is
    'Names the shop''s function that is called for refunds of granted payments, in their database transaction; null: none.';
