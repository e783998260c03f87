-- The schemas in which names are looked up by a role of ours, the current one or any that has no path of its own, and in which
-- somebody may create functions who owns neither the schema nor the database, and is no superuser; a row for each such role.
with setting as (
    -- Of each role the path that its sessions begin with: its own in this database, its own, the database's, or the server's.
    select r.oid, r.rolname, coalesce(p.path, '"$user", public') as path
    from pg_catalog.pg_roles r
    left join lateral (
        select substr(c.text, strpos(c.text, '=') + 1) as path
        from pg_catalog.pg_db_role_setting d
        cross join unnest(d.setconfig) as c (text)
        where d.setrole in (0, r.oid) and split_part(c.text, '=', 1) = 'search_path'
            and d.setdatabase in (0, (select b.oid from pg_catalog.pg_database b where b.datname = current_database()))
        order by d.setrole = 0, d.setdatabase = 0
        limit 1
    ) p on true
    where r.rolname in (current_user, 'counterfoil_backend')
        or r.rolname in (select s.role from counterfoil.role_settings s)
)
select distinct n.nspname::text as schema, coalesce(g.rolname::text, 'every role') as creator
from setting s
cross join unnest(string_to_array(s.path, ',')) as e (name)
join pg_catalog.pg_namespace n
    on n.nspname = case btrim(e.name, ' "') when '$user' then s.rolname else btrim(e.name, ' "') end
cross join aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
left join pg_catalog.pg_roles g on g.oid = a.grantee
where a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
    and a.grantee <> (select b.datdba from pg_catalog.pg_database b where b.datname = current_database())
    and g.rolsuper is not true
order by 1, 2
