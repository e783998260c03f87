-- The account to which the latest earlier period of a subscription was granted; no row where none was. A later period is its.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.owner_of_period(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz
)
returns table (account_id text)
language sql stable
begin atomic
    select g.account_id
    from (
        select p.account_id, p.purchased_at
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.granted_at is not null and p.purchased_at < of_purchased_at
        union all
        select p.account_id, p.purchased_at
        from counterfoil.payments p
        where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.granted_at is not null and p.purchased_at < of_purchased_at
    ) g
    order by g.purchased_at desc
    limit 1;
end;
comment on function counterfoil.owner_of_period(text, text, text, timestamptz) is
    'Private: the account to which the latest earlier period of a subscription was granted.';
grant execute on function counterfoil.owner_of_period(text, text, text, timestamptz) to counterfoil_worker, counterfoil_support;
