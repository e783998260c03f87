-- Private: what the privileges of our roles and of everybody lack of what the last migration granted, and have beyond it; the same
-- of every role's on routines. A row an object and role, with the statement that puts it right. No row when nothing differs.
--
-- What a shop grants to a role of its own on a table is the shop's matter.

create or replace view counterfoil.privilege_differences as
-- Read once: it goes over the catalogues.
with held as materialized (
    select s.object, s.role, s.privilege, s.column_name, s.is_of_our_role, s.is_of_a_routine from counterfoil.privileges_held s
)
select
    d.object, d.role, d.is_missing,
    format(
        '%s %s on %s %s %s', case when d.is_missing then 'grant' else 'revoke' end,
        string_agg(lower(d.privilege) || coalesce(' (' || d.columns || ')', ''), ', ' order by d.privilege, d.columns), d.object,
        case when d.is_missing then 'to' else 'from' end, case d.role when 'public' then d.role else quote_ident(d.role) end
    ) as statement
from (
    select
        e.object, e.role, e.is_missing, e.privilege,
        string_agg(quote_ident(e.column_name), ', ' order by e.column_name) filter (where e.column_name <> '') as columns
    from (
        select p.object, p.role, p.privilege, p.column_name, true as is_missing
        from counterfoil.privileges p
        where not exists (
            select from held s
            where s.object = p.object and s.role = p.role and s.privilege = p.privilege and s.column_name = p.column_name
        )
        union all
        select s.object, s.role, s.privilege, s.column_name, false
        from held s
        where (s.is_of_our_role or s.is_of_a_routine)
            and not exists (
                select from counterfoil.privileges p
                where p.object = s.object and p.role = s.role and p.privilege = s.privilege and p.column_name = s.column_name
            )
            -- Before the first migration has ended, nothing is known.
            and exists (select from counterfoil.privileges)
    ) e
    group by e.object, e.role, e.is_missing, e.privilege, e.column_name = ''
) d
group by d.object, d.role, d.is_missing;
comment on view counterfoil.privilege_differences is
    'Private: what privileges differ from what the last migration granted, each with the statement that puts it right.';

alter view counterfoil.privilege_differences owner to counterfoil_owner;
grant select on counterfoil.privilege_differences to counterfoil_worker, counterfoil_support, counterfoil_reader;
