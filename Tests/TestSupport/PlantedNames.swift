// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema

/// What a stranger who may create in `public` puts there: functions and operators of the server's own names, on the same types as
/// the server's and on those next to them. Whoever calls one leaves a mark, and gets an error.
package struct PlantedNames: Sendable {
    /// How many there are.
    package let count: Int

    /// Plants them, and has the database look names up in `public` first.
    ///
    /// Sessions that begin later have that path, unless their role or they themselves have another.
    ///
    /// - Parameter connection: of a superuser, who acts as the stranger; pinned.
    package static func plant(by connection: PostgresConnection) async throws -> PlantedNames {
        let names = functions.map { "'\($0)'" }.joined(separator: ", ")
        try await connection.executeScript(plantingScript.replacing("'names'", with: names))
        // An operator has a function of its own.
        let count = try await connection.execute(
            "select count(*) from pg_catalog.pg_proc p where p.pronamespace = 'public'::regnamespace")[0].int64(0)
        return PlantedNames(count: Int(count))
    }

    /// How often any of them was called since they were planted, also in what was rolled back. The connection is pinned.
    package func calls(_ connection: PostgresConnection) async throws -> Int64 {
        // Without a function or an operator.
        let row = try await connection.execute("select c.last_value, c.is_called from public.planted_calls c")[0]
        return try row.bool(1) ? row.int64(0) : 0
    }

    /// All that our SQL may mean: each word before a parenthesis.
    private static var functions: Set<String> {
        let files =
            SQLFile.queries + SQLFile.checks + SQLFile.routinesAndViews + Migration.all.map(\.file)
        return Set(files.flatMap { $0.text.matches(of: /\b([a-z_][a-z0-9_]*) ?\(/).map { String($0.1) } })
    }

    private static let plantingScript = """
        begin;
        set local search_path = pg_catalog, pg_temp;
        do $$ begin
            create role counterfoil_test_stranger nologin;
        exception when duplicate_object or unique_violation then null;
        end $$;
        grant usage, create on schema public to counterfoil_test_stranger;
        set local role counterfoil_test_stranger;
        create sequence public.planted_calls;
        grant usage, select on sequence public.planted_calls to public;
        do $$
        declare
            planted record;
            body constant text :=
                '$f$ begin perform pg_catalog.nextval(''public.planted_calls''); raise exception ''planted''; end $f$';
        begin
            for planted in
                with near (type, other) as (
                    values
                        ('int8'::regtype, 'int4'::regtype), ('int4', 'int8'), ('int8', 'int2'), ('text', 'varchar'),
                        ('text', 'name'), ('name', 'text'), ('float8', 'numeric'), ('float8', 'int4'), ('numeric', 'int8'),
                        ('timestamptz', 'timestamp'), ('timestamptz', 'date'), ('oid', 'regclass'), ('oid', 'int4'),
                        ('regclass', 'text'), ('anyarray', 'int8[]'),
                        ('anyarray', 'text[]'), ('anyarray', 'uuid[]'), ('anyarray', 'timestamptz[]'), ('anyarray', 'bool[]'),
                        ('anycompatiblearray', 'text[]'), ('anycompatible', 'text'), ('anycompatible', 'int8'),
                        ('anyelement', 'int8'), ('anyelement', 'text'), ('anyelement', 'timestamptz'), ('anynonarray', 'text'),
                        ('anynonarray', 'int8'), ('"any"', 'text'), ('"any"', 'int8'), ('"any"', 'timestamptz'), ('"any"', 'bool')
                ), function as (
                    select p.proname as name, p.proargtypes::oid[] as types, p.prorettype as result, p.proretset as is_set
                    from pg_catalog.pg_proc p
                    where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind <> 'p'
                        and p.proname in ('names')
                ), variant as (
                    select f.name, f.types, f.result, f.is_set from function f
                    union
                    select f.name, array_replace(f.types, n.type::oid, n.other::oid), f.result, f.is_set
                    from function f join near n on n.type = any (f.types)
                )
                select distinct on (v.name, v.types)
                    v.name, (select string_agg(format_type(t.type, null), ', ' order by t.position)
                        from unnest(v.types) with ordinality as t (type, position)) as arguments,
                    case when v.is_set then 'setof ' else '' end
                        || case when r.typtype = 'p' then 'text' else format_type(v.result, null) end as result
                from variant v join pg_catalog.pg_type r on r.oid = v.result
                where not exists (
                    select from unnest(v.types) as t (type) join pg_catalog.pg_type y on y.oid = t.type where y.typtype = 'p'
                )
            loop
                execute format(
                    'create function public.%I(%s) returns %s language plpgsql as %s', planted.name, planted.arguments,
                    planted.result, body);
            end loop;
            for planted in
                select o.oid, o.oprname, format_type(o.oprleft, null) as left, format_type(o.oprright, null) as right,
                    format_type(o.oprresult, null) as result
                from pg_catalog.pg_operator o
                where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprleft <> 0
                    and o.oprname in (
                        '=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '||', '->', '->>', '@>', '<@', '~', '~~', '!~',
                        '&&'
                    )
                    and not exists (
                        select from pg_catalog.pg_type y where y.oid in (o.oprleft, o.oprright, o.oprresult) and y.typtype = 'p'
                    )
            loop
                execute format(
                    'create function public.%I(%s, %s) returns %s language plpgsql as %s', 'operator_' || planted.oid,
                    planted.left, planted.right, planted.result, body);
                execute format(
                    'create operator public.%s (leftarg = %s, rightarg = %s, function = public.%I)', planted.oprname,
                    planted.left, planted.right, 'operator_' || planted.oid);
            end loop;
        end
        $$;
        reset role;
        do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$;
        commit
        """
}
