// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import PrivatePostgres
import Subprocess
import TestSupport
import Testing

@testable import counterfoil

/// The recipe of a shop in the ledger's database, and the runbook's restore of both, as they stand in their files.
@Suite struct ShopInLedgersDatabaseTests {
    /// A server with a database `shop`, as the documents have it: the schema, an app, and the recipe's shop.
    private struct Site: Sendable {
        let server: PrivatePostgresServer
        let folder: TemporaryFolder

        static func open(_ body: @escaping @Sendable (Site) async throws -> Void) async throws {
            try await TemporaryFolder.with { folder in
                try await PrivatePostgresServer.withServer(
                    settings: ["fsync=off"], loopback: .trusted, logger: .test
                ) { server in
                    let site = Site(server: server, folder: folder)
                    try await site.setUp()
                    try await body(site)
                }
            }
        }

        private func setUp() async throws {
            try await shell("psql --quiet --command 'create role counterfoil_admin' && createdb --owner=counterfoil_admin shop")
            let migrated = try await Program.run(["migrate"], environment: ["COUNTERFOIL_DATABASE_URL": url()])
            try #require(migrated.status.isSuccess, "\(migrated.errors)")
            try await shell("psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 shop <\(path("deploy/recipes/shop.sql"))")
            try await run(Self.ledger)
        }

        func url(user: String = "postgres") -> String { server.url(database: "shop", user: user) }

        private func path(_ file: String) -> String { Repository.root.appending(path: file).path }

        // MARK: Statements

        func run(_ script: String) async throws {
            try await PostgresConnection.withConnection(to: url()) { try await $0.executeScript(script) }
        }

        /// The rows of a query by the shop's own role, each as `(a,1)`.
        func rows(_ query: String) async throws -> [String] {
            try await PostgresConnection.withConnection(to: url(user: "shop_backend")) { connection in
                try await connection.execute("select listed::text from (\(query)) listed").map { try $0.string(0) }
            }
        }

        func buy(_ orders: String...) async throws {
            for order in orders { try await run("select buy('\(order)')") }
        }

        func action(_ order: String) async throws -> String {
            try await rows("select client_action from shop.poll('\(order)', 'ann')").joined().replacing(/[()]/, with: "")
        }

        // MARK: Programs

        /// Runs lines of a document on a host without systemd: its services are stood in for, and its files lie in a folder.
        func shell(_ lines: String) async throws {
            let prelude = """
                set -eu
                systemctl() { [ "$*" != 'start counterfoil-migrate' ] || COUNTERFOIL_DATABASE_URL=$MIGRATED "$0" migrate; }
                runuser() { shift 3; "$@"; }

                """
            let moved = lines.replacing("/var/backups", with: folder.path).replacing("/etc/counterfoil", with: folder.path)
            let result = try await Subprocess.run(
                .name("bash"), arguments: ["-c", prelude + moved, Program.Name.counterfoil.path],
                environment: .inherit.updating([
                    "PATH": "\(server.toolsFolder):/usr/bin:/bin", "PGHOST": server.socketFolder, "PGPORT": String(server.port),
                    "PGUSER": "postgres", "MIGRATED": url(),
                ]),
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
            try #require(result.terminationStatus.isSuccess, "\(result.standardOutput)\n\(result.standardError)")
        }

        /// Runs the deliverer as the unit does, with the recipe's variables, until a query by the shop's role returns a row.
        func deliver(until query: String) async throws {
            var variables: [String: String] = [:]
            for line in try Repository.text("deploy/recipes/deliver-shop.env").split(separator: "\n") where !line.hasPrefix("#") {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                variables[parts[0]] = parts[1]
            }
            let unit = try Repository.text("deploy/systemd/counterfoil-deliver@.service")
            var command = try #require(unit.firstMatch(of: /ExecStart=\/usr\/bin\/counterfoil (.*)/)).output.1.description
            for (name, value) in variables {
                command = command.replacing("${\(name)}", with: value).replacing("$\(name)", with: value)
            }
            let database = try #require(variables["COUNTERFOIL_DATABASE_URL"])
                .replacing("127.0.0.1", with: "127.0.0.1:\(server.port)")
            let ended = try await Program.whileRunning(
                command.split(separator: " ").map(String.init), environment: ["COUNTERFOIL_DATABASE_URL": database]
            ) { _ in
                // Its tables may not be there yet.
                try await eventually(query) { await (try? rows(query))?.isEmpty == false }
            }
            #expect(ended.status == .exited(0), "\(ended.errors)")
        }

        /// As a client who uploaded and a worker that granted would leave it.
        private static let ledger = """
            insert into counterfoil.apps (bundle_id) values ('com.example.game');
            create function buy(id text) returns void language plpgsql as $$
            begin
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values (id, 'com.example.game', 'coins', 'ann');
                insert into counterfoil.payments (
                    transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity,
                    purchased_at, account_id, order_number, granted_at
                )
                select
                    't-' || id, 'com.example.game', 'production', 't-' || id, 'coins', 'consumable', 1, now(), 'ann', o.number, now()
                from counterfoil.orders o where o.order_id = id;
                update counterfoil.orders o set state = 'fulfilled', transaction_id = 't-' || id, environment = 'production',
                    fulfilled_at = now() where o.order_id = id;
            end $$
            """
    }

    /// The code blocks of a section that are commands.
    private static func commands(_ document: String, _ section: String) throws -> [String] {
        let text = try Repository.text(document)
        let start = try #require(text.firstRange(of: "\n## \(section)\n")).upperBound
        let body = text[start...].prefix(upTo: text[start...].firstRange(of: "\n## ")?.lowerBound ?? text.endIndex)
        return body.split(separator: "```").enumerated().filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sh\n") }
            .map { String($0.element.dropFirst(3)) }
    }

    @Test(.timeLimit(.minutes(3)))
    func theRecipesShopIsToldToFinishOnceItsGoodsAreThere() async throws {
        try await Site.open { site in
            try await site.buy("a", "b")
            #expect(try await site.action("a") == "wait")

            try await site.deliver(until: "select 1 from shop.deliveries having count(*) = 2")
            try await site.run("update counterfoil.orders set state = 'refunded', reason = 'refunded' where order_id = 'b'")
            #expect(try await site.action("a") == "finish")
            try await site.deliver(until: "select from shop.deliveries where refunded_share = 100")

            #expect(
                try await site.rows("select order_id, quantity, refunded_share from shop.deliveries order by 1")
                    == ["(a,1,0)", "(b,1,100)"])
            #expect(try await site.action("b") == "finish")
            #expect(try await site.rows("select from shop.poll('a', 'bob')") == [])
        }
    }

    /// The refund of one payment was in the backup: its goods are not delivered.
    @Test(.timeLimit(.minutes(5)))
    func aRestoreDeliversWhatWasImportedOnce() async throws {
        let backup = try Self.commands("deploy/RUNBOOK.md", "Making a backup")
        let restore = try Self.commands("deploy/RUNBOOK.md", "Restoring a backup")
        let statement = try #require(restore.firstIndex { $0.contains("shop.on_change") })
        try await Site.open { site in
            try FileManager.default.createDirectory(
                atPath: site.folder.path + "/deliver-shop-credentials", withIntermediateDirectories: true)
            _ = try site.folder.write("secret".utf8, to: "deliver-shop-credentials/postgres-password")
            try await site.buy("a", "b")
            try await site.deliver(until: "select 1 from shop.deliveries having count(*) = 2")
            try await site.run(
                """
                insert into counterfoil.revocations (
                    bundle_id, environment, transaction_id, original_transaction_id, kind, share, occurred_at, as_of
                )
                values ('com.example.game', 'production', 't-d', 't-d', 'revocation', 100000, now(), now())
                """)
            try await site.shell(backup.joined(separator: "\n"))
            try await site.buy("c", "d", "e")
            try await site.deliver(until: "select 1 from shop.deliveries having count(*) = 5")
            try await site.run("update counterfoil.orders set state = 'refunded', reason = 'refunded' where order_id = 'e'")

            try await site.shell(restore[..<statement].joined(separator: "\n"))
            #expect(try await site.rows("select order_id from shop.deliveries order by 1") == ["(a)", "(b)"])
            #expect(try await site.action("c") == "wait")
            for _ in 1...2 {
                try await site.shell(restore[statement])
                let delivered = try await site.rows("select order_id from shop.deliveries order by 1")
                #expect(delivered == ["(a)", "(b)", "(c)", "(e)"])
            }
            try await site.shell(restore[(statement + 1)...].joined(separator: "\n"))
            try await site.buy("f")
            try await site.deliver(until: "select 1 from shop.deliveries having count(*) = 5")

            #expect(try await site.action("c") == "finish")
            #expect(try await site.rows("select count(*) from shop.deliveries where refunded_share = 0") == ["(5)"])
            #expect(try await site.rows("select delivered from shop.reader") == ["(3)"])
        }
    }
}
