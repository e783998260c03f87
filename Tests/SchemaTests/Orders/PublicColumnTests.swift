// SPDX-License-Identifier: Apache-2.0

import Postgres
import Synchronization
import TestSupport
import Testing

/// sql/docs/columns.md, and views.md for administrators, list what is public as the database has it: columns, parameters and
/// results, with types, in their order.
@Suite struct PublicColumnTests {
    /// By object, a row each. The parameters of a function are listed under its name with parentheses, its result without.
    private static let columnsOfTheDatabase = """
        with typed as (
            -- Views that a backend or a reader may read, and the type of a change.
            select c.relname::text as object, a.attnum::int as place,
                '`' || a.attname || '` ' || format_type(a.atttypid, a.atttypmod) as column
            from pg_class c
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace = 'counterfoil'::regnamespace
                and (
                    c.relkind = 'c'
                    or c.relkind = 'v' and coalesce(obj_description(c.oid), '') not like 'Private%' and (
                        has_table_privilege('counterfoil_reader', c.oid, 'select')
                        or has_table_privilege('counterfoil_backend', c.oid, 'select')
                    )
                )
            union all
            select c.relname::text, a.attnum::int, '`' || a.attname || '` ' || format_type(a.atttypid, a.atttypmod)
            from pg_class c
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'r'
                and has_column_privilege('counterfoil_backend', c.oid, a.attnum, 'insert')
            union all
            select
                p.proname || case when g.mode = 't' then '' else '()' end, g.place::int,
                case
                    when g.mode <> 't' and g.place > p.pronargs - p.pronargdefaults
                        then '[`' || g.name || '` ' || format_type(g.type, null) || ']'
                    else '`' || g.name || '` ' || format_type(g.type, null)
                end
            from pg_proc p
            cross join lateral unnest(
                coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames,
                coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs::int]))
            ) with ordinality as g (type, name, mode, place)
            where p.pronamespace = 'counterfoil'::regnamespace and (
                p.proname = 'import_grants'
                or has_function_privilege('counterfoil_backend', p.oid, 'execute')
                    and coalesce(obj_description(p.oid), '') not like 'Private%'
            )
        )
        select object, string_agg(replace(t.column, 'timestamp with time zone', 'timestamptz'), ', ' order by place)
        from typed t
        group by object
        """

    private static func readDatabase() async throws -> [String: String] {
        let found = Mutex<[String: String]>([:])
        try await Shop.open { shop in
            for row in try await shop.admin.execute(columnsOfTheDatabase) {
                let (object, columns) = (try row.string(0), try row.string(1))
                found.withLock { $0[object] = columns }
            }
        }
        return found.withLock { $0 }
    }

    /// The pages' lists (`- name: columns`), its tables of columns below a heading of their object, and its table of functions.
    private static func readPage() throws -> [String: String] {
        var objects: [String: [String]] = [:]
        var heading = ""
        var table = ""
        // A list's item goes on in indented lines.
        let pages = try ["sql/docs/columns.md", "sql/docs/views.md"].map { try Repository.text($0) }.joined(separator: "\n")
        let lines = pages.replacing("\n  ", with: " ").split(separator: "\n")
        for line in lines {
            if let match = line.firstMatch(of: /^### `([a-z_]+)`$/) { heading = String(match.output.1) }
            if let match = line.firstMatch(of: /^- `([a-z_]+)`: (`.+)$/) {
                objects[String(match.output.1)] = [String(match.output.2)]
            }
            guard line.hasPrefix("|") else {
                table = ""
                continue
            }
            if table.isEmpty { table = String(line) }
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }.map { String($0.dropLast()) }
            guard cells.count == 3, cells[0].hasPrefix("`"), cells[0].hasSuffix("`") else { continue }
            if table.hasPrefix("| Column | Type |") {
                objects[heading, default: []].append(cells[0] + " " + cells[1])
            } else if table.hasPrefix("| Function |") {
                objects[String(cells[0].dropFirst().dropLast()) + "()"] = [cells[1]]
            }
        }
        return objects.mapValues { $0.joined(separator: ", ") }
    }

    @Test func thePageListsWhatIsPublic() async throws {
        let page = try Self.readPage()
        let database = try await Self.readDatabase()
        try #require(database.count > 30)

        #expect(Set(page.keys) == Set(database.keys))
        for (object, columns) in database {
            #expect(page[object] == columns, "\(object)")
        }
    }
}
