-- Tells the feed of an entry about a fulfilled order's payment that doesn't move the order: a refund of a part, or another word
-- about it. What moves its order is told with that move, which follows (settle_payments). Of a payment without an order it tells
-- what stands (tell_payments).

create or replace function counterfoil.tell_refund() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_order bigint;
begin
    for of_order in
        select s.order_number
        from counterfoil.payments_of_original(new.bundle_id, new.environment, new.original_transaction_id) s
        where s.state = 'granted'
            and (
                s.transaction_id = new.transaction_id
                -- Another name of the payment. A reversal is of what was taken back before.
                or exists (
                    select
                    from counterfoil.revocations v
                    where v.original_transaction_id = s.original_transaction_id and v.bundle_id = s.bundle_id
                        and v.environment = s.environment and v.transaction_id = new.transaction_id and v.kind = 'revocation'
                        and counterfoil.is_one_payment(
                            s.bundle_id, s.environment, s.original_transaction_id, s.product_kind, s.web_order_line_item_id,
                            s.purchased_at,
                            (
                                select n.product_kind from counterfoil.payments n
                                where n.transaction_id = new.transaction_id and n.bundle_id = s.bundle_id
                                    and n.environment = s.environment
                            ),
                            v.web_order_line_item_id, coalesce(v.purchased_at, v.occurred_at))
                )
            )
        order by s.order_number
    loop
        -- The lock comes before the change's number.
        update counterfoil.orders o set version = o.version + 1 where o.number = of_order and o.state = 'fulfilled';
        if found then
            perform counterfoil.tell_refund_in_force(of_order);
        end if;
    end loop;
    perform counterfoil.tell_payments(array[new.bundle_id], array[new.environment], array[new.transaction_id])
    where exists (
        select from counterfoil.told_payments t
        where t.transaction_id = new.transaction_id and t.bundle_id = new.bundle_id and t.environment = new.environment
            and t.name in ('unclaimed', 'renewal')
    );
    return null;
end
$$;
comment on function counterfoil.tell_refund() is 'Private: tells the feed of a refund that leaves its order fulfilled.';

select counterfoil.make_trigger('counterfoil.revocations', 'refunds_are_told', $$
    after insert on counterfoil.revocations
    for each row execute function counterfoil.tell_refund()
$$);
