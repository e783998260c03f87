-- What the names of a payment share, by the kind of its product: what is bought for good has its original transaction, a period of
-- a subscription the line item that Apple billed. Null where the transaction alone is the payment: a consumable, or a period
-- without a number. Of an unknown kind, what has a line item is a period. GrantKey has the same rule in Swift.
create or replace function counterfoil.payment_key(kind text, original text, item text) returns text
language sql immutable parallel safe
begin atomic
    select case
        when kind in ('non_consumable', 'non_renewing') then 'original:' || original
        when kind is distinct from 'consumable' then 'web_order:' || item
    end;
end;
comment on function counterfoil.payment_key(text, text, text) is 'Private: what the names of a payment share.';
grant execute on function counterfoil.payment_key(text, text, text) to counterfoil_worker, counterfoil_support;
