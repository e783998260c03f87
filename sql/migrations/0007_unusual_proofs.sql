-- The price of a payment, as a signed transaction names it. Nothing is decided by it.

set local role counterfoil_owner;

alter table counterfoil.payments
    -- Thousandths of the currency's unit, for all units of the transaction. Of seats it is the average of one. Null where Apple
    -- named none, as in a receipt.
    add column price_milliunits bigint,
    add column currency text,
    -- Rows from before have neither: they need no look, for which the table would be locked.
    add constraint signed_price_names_its_currency check (
        (price_milliunits is null) = (currency is null) and price_milliunits >= 0 and currency ~ '^[A-Z]{3}$'
    ) not valid;

grant update (price_milliunits, currency) on counterfoil.payments to counterfoil_worker, counterfoil_support;
