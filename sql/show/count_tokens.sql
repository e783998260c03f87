-- Each app's recent orders, and how many of them bear an app account token. An app without recent orders has no row.
--
-- $1 int4  days that count as recent
--
-- Orders are never deleted and come in the order of time, so that the newest stand in the table's last pages: only the last 2000
-- are read, at most 16 MiB, however many orders there are.
select o.bundle_id, count(*) as orders, count(o.app_account_token) as with_token
from counterfoil.orders o
where o.ctid >= (
        select format('(%s,0)', greatest(0, pg_relation_size('counterfoil.orders'::regclass) / 8192 - 2000))::tid
    )
    and o.created_at >= now() - make_interval(days => $1::integer)
group by o.bundle_id
