-- Writes a change as if five minutes ago; it is committed later.
insert into counterfoil.changes (kind, orders, versions, at)
values ('order_in_review', '{late-1}', '{1}', clock_timestamp() - interval '5 minutes')
