-- The bytes of what is kept for good, with its indexes, and how many payments are granted: orders, payments and their history. For
-- the product and for the yardstick, whose history has other names.
select
    (
        select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
        from pg_catalog.pg_class c
        where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'r'
            and c.relname ~ '^(orders|payments|originals|(other_)?attempts_(default|now|y?[0-9_m]+))$'
    ),
    (select count(*) from counterfoil.payments p where p.granted_at is not null)
