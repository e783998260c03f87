// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// A stranger may create in `public`, and makes functions and operators of the server's names there. Nobody of ours calls one.
@Suite struct PlantedNamesTests {
    /// Rows for the views to read, past the triggers that a hostile session would have to be safe for by then.
    private func fill(_ shop: Shop) async throws {
        for order in ["a", "b", "c"] { try await shop.order(order) }
        for order in ["a", "b"] { try await shop.upload(order) }
        try await shop.run(
            """
            insert into counterfoil.payments (
                bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason,
                shown_by_number, account_id
            )
            values ('\(Shop.bundle)', 'production', '1', '1', 'coins', 1, now(), 'quantity_short', \(orderNumber("c")), 'ann')
            """)
        try await shop.settleOrder("c", "review", "quantity_short")
    }

    /// A trap that nobody falls into may also be broken.
    @Test func whoeverLooksNamesUpInPublicCallsThem() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url, isPinned: true) { admin in
                let planted = try await PlantedNames.plant(by: admin)

                #expect(planted.count >= 500)
                #expect(try await planted.calls(admin) == 0)
                await #expect(throws: PostgresError.self) {
                    try await PostgresConnection.withConnection(to: url) { try await $0.execute("select 1 = 1") }
                }
                #expect(try await planted.calls(admin) == 1)
                await #expect(throws: PostgresError.self) {
                    try await PostgresConnection.withConnection(to: url) { try await $0.execute("select hashtextextended('a', 0)") }
                }
                #expect(try await planted.calls(admin) == 2)
            }
        }
    }

    /// As a superuser, and as the database's owner who may create roles.
    @Test(arguments: [true, false])
    func whoeverMigratesCallsNone(isSuperuser: Bool) async throws {
        let role = "migrator_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url, isPinned: true) { admin in
                let planted = try await PlantedNames.plant(by: admin)
                try await admin.executeScript(
                    """
                    create role \(role) login createrole;
                    do $$
                    declare
                        name text;
                    begin
                        if current_setting('server_version_num')::integer >= 160000 then
                            for name in select r.rolname from pg_roles r where r.rolname like 'counterfoil\\_%' loop
                                execute format('grant %I to \(role) with admin option', name);
                            end loop;
                        end if;
                    end
                    $$;
                    do $$ begin execute format('alter database %I owner to \(role)', current_database()); end $$
                    """)
                let migrator = SchemaMigrator(logger: .test)

                try await PostgresConnection.withConnection(to: isSuperuser ? url : url + "&user=" + role, isPinned: true) {
                    #expect(try await migrator.migrate($0) == Migration.all.map(\.file.name))
                    #expect(try await migrator.migrate($0) == [])
                    try await migrator.check($0)
                }

                #expect(try await planted.calls(admin) == 0)
            }
        }
        try await TestDatabase.execute("drop role \(role)")
    }

    /// All that programs of ours send, with the settings of the roles gone, as after a restore.
    @Test(arguments: [nil, "counterfoil_owner", "counterfoil_worker"])
    func noStatementOfOursMeansOne(role: String?) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let planted = try await shop.database.withConnection(isPinned: true) { try await PlantedNames.plant(by: $0) }
            try await loseSettings(shop)

            try await shop.database.withConnection(as: role == "counterfoil_worker" ? role : nil, isPinned: true) { connection in
                if role == "counterfoil_owner" { try await connection.executeScript("set role counterfoil_owner") }
                for file in SQLFile.queries + SQLFile.checks {
                    let plan: String
                    do {
                        plan = try await verbosePlan(file, connection)
                    } catch let error as PostgresError where error.sqlState == .insufficientPrivilege && role != nil {
                        continue
                    }
                    // What isn't found by its name alone is shown with its schema.
                    #expect(!plan.contains("public."), "\(file.name): \(plan)")
                }
                for check in SQLFile.checks { _ = try await connection.execute(check.statement) }
                for view in try await views(connection) {
                    _ = try? await connection.execute("table counterfoil.\(view)")
                }
                #expect(try await planted.calls(connection) == 0)
            }
        }
    }

    /// Their sessions are theirs: names are looked up in `public` first, and relations and types in what they made for themselves.
    @Test func aBackendAndAReaderCallNone() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.database.withConnection(isPinned: true) { admin in
                let planted = try await PlantedNames.plant(by: admin)
                try await loseSettings(shop)

                try await shop.database.withConnection(as: "counterfoil_backend") { backend in
                    for name in ["apps", "orders", "jobs", "payments", "order_status", "text", "uuid", "timestamptz", "jsonb"] {
                        try await backend.executeScript("create temp table \(name) (id int8, order_id int8, state int8)")
                    }
                    let order: [PostgresParameter] = [.text("d"), .text(Shop.bundle), .text("coins"), .text("ann"), .text("eyJ")]
                    let submitted = try await backend.execute("select s.state from counterfoil.submit($1, $2, $3, $4, $5) s", order)
                    #expect(try submitted[0].string(0) == "open")
                    _ = try await backend.execute(
                        "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ($1, $2, $3, $4)",
                        [.text("e"), .text(Shop.bundle), .text("coins"), .text("ann")])
                    _ = try await backend.execute(
                        "insert into counterfoil.jobs (order_id, proof) values ($1, $2)", [.text("e"), .text("eyJ")])
                    let opened = try await backend.execute(
                        "select o.order_id from counterfoil.open_orders($1, $2) o", [.text("ann"), .text("coins")])
                    #expect(opened.count == 5)
                    let cancelled = try await backend.execute(
                        "select c.state from counterfoil.cancel_order($1, $2) c", [.text("d"), .text("x")])
                    #expect(try cancelled[0].string(0) == "cancelled")
                    _ = try await backend.execute("table counterfoil.order_status")
                    _ = try await backend.execute("table counterfoil.transaction_status")
                    for order in ["a", "c", "e"] {
                        let polled = try await backend.execute(
                            "select s.state from counterfoil.order_status_of($1, $2) s", [.text(order), .text("ann")])
                        #expect(polled.count == 1)
                    }
                    let several = try await backend.execute(
                        "select s.state from counterfoil.order_statuses_of($1, $2) s", [.textArray(["a", "c"]), .text("ann")])
                    #expect(several.count == 2)
                    let payment = try await backend.execute(
                        "select s.status from counterfoil.transaction_status_of($1, null, $2, $3) s",
                        [.text(Shop.bundle), .text("1"), .text("ann")])
                    #expect(payment.count == 1)
                }
                try await shop.database.withConnection(as: "counterfoil_reader") { reader in
                    for view in DashboardTests.views {
                        _ = try await reader.execute("table counterfoil.\(view)")
                    }
                }

                #expect(try await planted.calls(admin) == 0)
            }
        }
    }

    private func loseSettings(_ shop: Shop) async throws {
        try await shop.run(
            """
            do $$
            declare
                name text;
            begin
                foreach name in array array['owner', 'backend', 'worker', 'reader'] loop
                    execute format('alter role counterfoil_%s in database %I reset all', name, current_database());
                end loop;
            end
            $$
            """)
    }

    private func views(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(
            "select c.relname from pg_class c where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v'"
        ).map { try $0.string(0) }
    }

    private func verbosePlan(_ file: SQLFile, _ connection: PostgresConnection) async throws -> String {
        _ = try await connection.execute("prepare planned as \(file.text)")
        do {
            let count = try await connection.execute(
                "select cardinality(parameter_types) from pg_prepared_statements where name = 'planned'")[0].int32(0)
            let nulls = count == 0 ? "" : "(" + Array(repeating: "null", count: Int(count)).joined(separator: ", ") + ")"
            let lines = try await connection.execute("explain (verbose, costs off) execute planned\(nulls)")
            _ = try await connection.execute("deallocate planned")
            return try lines.map { try $0.string(0) }.joined(separator: "\n")
        } catch {
            _ = try await connection.execute("deallocate planned")
            throw error
        }
    }
}
