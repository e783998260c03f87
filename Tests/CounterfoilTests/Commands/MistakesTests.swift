// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import counterfoil

/// An operator's mistakes: each ends with its cause and its mend in one line, and with the right status.
@Suite struct MistakesTests {
    private func run(_ shop: Shop, as role: String, _ arguments: String...) async throws -> Program.Ended {
        try await Program.run(
            arguments,
            environment: shop.environment.merging(["COUNTERFOIL_DATABASE_URL": shop.database.url(user: "counterfoil_" + role)]) {
                $1
            })
    }

    private func expect(
        _ ended: Program.Ended, ends status: Int32, naming parts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(ended.status == .exited(status), "\(ended.errors)", sourceLocation: sourceLocation)
        #expect(ended.errorLines.count == 1, "\(ended.errors)", sourceLocation: sourceLocation)
        for part in parts { #expect(ended.errors.contains(part), "\(part): \(ended.errors)", sourceLocation: sourceLocation) }
    }

    // MARK: Roles

    @Test(.timeLimit(.minutes(3)))
    func aRefusalNamesTheRoleAndTheOneThatMay() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")

            let added = try await run(shop, as: "reader", "apps", "add", "a.b")
            let closed = try await run(shop, as: "reader", "gates", "close", "1", "--why", "x")
            let looked = try await run(shop, as: "reader", "jobs", "list")
            let listed = try await run(shop, as: "backend", "orders", "list")
            let addedByWorker = try await run(shop, as: "worker", "apps", "add", "a.b")
            let migrated = try await run(shop, as: "support", "migrate")

            expect(added, ends: 77, naming: "counterfoil_reader only reads", "counterfoil_support")
            expect(closed, ends: 77, naming: "counterfoil_reader only reads", "counterfoil_support")
            expect(looked, ends: 77, naming: "the role counterfoil_reader may not", "counterfoil_support")
            expect(listed, ends: 77, naming: "the role counterfoil_backend may not", "counterfoil_support")
            expect(addedByWorker, ends: 77, naming: "the role counterfoil_worker may not", "counterfoil_support")
            expect(migrated, ends: 77, naming: "the role counterfoil_support may not", "a role that may create roles")
        }
    }

    /// It waited for the database for ever.
    @Test(.timeLimit(.minutes(3)), arguments: ["backend", "reader"])
    func aWorkerOfAnotherRoleEnds(role: String) async throws {
        try await Shop.run { shop in
            let ended = try await run(shop, as: role, "worker")

            #expect(ended.status == .exited(77))
            #expect(ended.errors.contains("counterfoil_\(role)") && ended.errors.contains("counterfoil_worker"), "\(ended.errors)")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: ["backend", "worker"])
    func aGatewayOfAnotherRoleEnds(role: String) async throws {
        try await Shop.run { shop in
            let ended = try await run(shop, as: role, "gateway", "--listen", "127.0.0.1:0", "--connections", "100")

            #expect(ended.status == .exited(77))
            #expect(ended.errors.contains("counterfoil_\(role)") && ended.errors.contains("counterfoil_gateway"), "\(ended.errors)")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRoleThatDoesNotExistIsNamed() async throws {
        try await Shop.run { shop in
            let ended = try await run(shop, as: "wrker", "apps", "list")

            expect(ended, ends: 77, naming: "counterfoil_wrker", "counterfoil migrate makes the roles", "COUNTERFOIL_DATABASE_URL")
        }
    }

    // MARK: The database's address

    @Test func aDatabaseThatDoesNotExistIsNamed() async throws {
        let url = try await TestServer.url(database: "shopp")

        let ended = try await Program.run(["apps", "list"], environment: ["COUNTERFOIL_DATABASE_URL": url])

        expect(ended, ends: 78, naming: "COUNTERFOIL_DATABASE_URL", #"database "shopp" does not exist"#)
    }

    @Test func aServerThatIsNotThereNamesItsVariable() async throws {
        let ended = try await Program.run(
            ["apps", "list"], environment: ["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@localhost:1/nothing"])

        expect(ended, ends: 69, naming: "see COUNTERFOIL_DATABASE_URL, and whether the server is up")
    }

    @Test(.timeLimit(.minutes(3)))
    func aReaderFindsOrders() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")

            let found = try await run(shop, as: "reader", "find", "o")
            let listed = try await run(shop, as: "reader", "orders", "list")
            let reviews = try await run(shop, as: "reader", "orders", "reviews")

            for ended in [found, listed, reviews] { #expect(ended.status.isSuccess, "\(ended.errors)") }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func doctorOfAnotherRoleNamesIt() async throws {
        try await Shop.run { shop in
            let ended = try await run(shop, as: "backend", "doctor")

            #expect(ended.output.contains("counterfoil_backend"), "\(ended.output)")
            #expect(!ended.output.contains("whether the server is up"), "\(ended.output)")
        }
    }

    // MARK: Credentials

    @Test func aFolderOfCredentialsThatIsMissingIsNamed() async throws {
        let ended = try await Program.run(
            ["apps", "list"],
            environment: [
                "COUNTERFOIL_DATABASE_URL": "postgresql://nobody@localhost:1/nothing",
                "COUNTERFOIL_CREDENTIALS_DIRECTORY": "/nowhere/here",
            ])

        expect(ended, ends: 78, naming: "COUNTERFOIL_CREDENTIALS_DIRECTORY", "/nowhere/here isn't")
    }

    @Test func aFileOfTLSRootsThatIsMissingIsMissing() async throws {
        let ended = try await Program.run(
            ["worker"],
            environment: [
                "COUNTERFOIL_DATABASE_URL": "postgresql://nobody@localhost:1/nothing", "COUNTERFOIL_TLS_ROOTS": "/nowhere/tls.pem",
            ])

        expect(ended, ends: 78, naming: "COUNTERFOIL_TLS_ROOTS", "/nowhere/tls.pem is missing or can't be read")
    }

    /// And the file that is nobody's.
    @Test(.timeLimit(.minutes(3)))
    func doctorNamesTheFaultOfAKeyFile() async throws {
        try await Shop.run { shop in
            try await TemporaryFolder.with { credentials in
                let key = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
                _ = try credentials.write(key.utf8, to: "default.server-api-key")
                _ = try credentials.write(
                    "{\"issuer_id\": \"a\", \"key_id\": \"b\", \"private_key\": \"\(key)\"}".utf8,
                    to: "com.example.gane.server-api-key")
                try FileManager.default.createDirectory(
                    atPath: credentials.path + "/com.example.folder.shared-secret", withIntermediateDirectories: false)

                let ended = try await Program.run(
                    ["doctor"],
                    environment: shop.environment.merging(["COUNTERFOIL_CREDENTIALS_DIRECTORY": credentials.path]) { $1 })

                for part in [
                    "default.server-api-key: it is a .p8 file itself",
                    "com.example.gane.server-api-key: it has real line ends within private_key",
                    "com.example.folder.shared-secret: it is a folder",
                    "files for com.example.gane, which is no app here; did you mean com.example.game?",
                ] {
                    #expect(ended.output.contains(part), "\(part): \(ended.output)")
                }
                #expect(!ended.output.contains("MIGH"))
            }
        }
    }

    // MARK: Apps and products

    @Test(arguments: ["com example", "game", "com.example.gäme", "com.example.game\u{1B}", "", String(repeating: "a.", count: 78)])
    func whatCannotBeABundleIsRefused(bundle: String) async throws {
        let ended = try await Program.run(["apps", "add", bundle])

        #expect(ended.status == .exited(64))
        #expect(ended.errors.contains("A bundle id has letters, digits, hyphens and dots"))
    }

    @Test(.timeLimit(.minutes(3)))
    func anAppsPoliciesAreEchoed() async throws {
        try await Shop.run { shop in
            let echo = try await shop.succeed(["apps", "add", Shop.bundle, "--confirm", "always", "--sandbox", "deny"])

            for line in [
                "    sandbox deny", "    absent-token accept", "    ledger-starts-at never", "    receipt-route verify_receipt",
                "    confirm always", "    finish false",
            ] {
                #expect(echo.contains(line), "\(echo)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aKindIsNotOverwrittenInSilence() async throws {
        try await Shop.run { shop in
            let again = try await shop.succeed(["products", "add", Shop.bundle, "coins", "--kind", "consumable"])
            let refused = try await shop.run(["products", "add", Shop.bundle, "coins", "--kind", "non_consumable"])
            let unchanged = try await shop.succeed(["products", "list", Shop.bundle])
            let changed = try await shop.succeed([
                "products", "add", Shop.bundle, "coins", "--kind", "non_consumable", "--change-kind",
            ])

            #expect(again == "product coins is consumable\n")
            expect(refused, ends: 1, naming: "listed as consumable", "--change-kind")
            #expect(unchanged.contains("consumable") && !unchanged.contains("non_consumable"))
            #expect(changed == "product coins is non_consumable\n")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anUnlistedProductIsWarnedOf() async throws {
        try await Shop.run { shop in
            let ended = try await shop.run(
                ["submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coin", "--account", "ann"], input: "eyJ")
            let listed = try await shop.run(
                ["submit", "--order", "p", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann"], input: "eyJ")

            #expect(ended.status.isSuccess)
            #expect(ended.errors.contains("The app lists no product coin; did you mean coins?"), "\(ended.errors)")
            #expect(listed.errors == "")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aLookUpOfAMisspeltAppNamesTheLikelyOne() async throws {
        try await Shop.run { shop in
            let ended = try await shop.run(["orders", "look-up", "MK2JQ5X4LN", "--bundle", "com.example.gane"])

            expect(ended, ends: 1, naming: "com.example.gane isn't known; did you mean com.example.game?")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrderOfAMisspeltAppNamesTheLikelyOne() async throws {
        try await Shop.run { shop in
            let ordered = try await shop.run(
                ["submit", "--order", "o", "--bundle", "com.example.gane", "--product", "coins", "--account", "ann"], input: "eyJ")
            let listed = try await shop.run(["products", "add", "com.example.gane", "coins", "--kind", "consumable"])

            expect(ordered, ends: 1, naming: "com.example.gane isn't known; did you mean com.example.game?")
            expect(listed, ends: 1, naming: "com.example.gane isn't known; did you mean com.example.game?")
        }
    }

    // MARK: Workers and jobs

    @Test(.timeLimit(.minutes(3)))
    func twoWorkersOfOneNameAreWarnedOf() async throws {
        try await Shop.run { shop in
            try await shop.whileWorking(["COUNTERFOIL_WORKER_NAME": "one"]) { first in
                try await first.log.line(containing: "worker started")
                try await shop.whileWorking(["COUNTERFOIL_WORKER_NAME": "two"]) { other in
                    try await other.log.line(containing: "worker started")
                    try await shop.whileWorking(["COUNTERFOIL_WORKER_NAME": "one"]) { second in
                        let line = try await second.log.line(containing: "another worker has this name")
                        #expect(line.contains("name=one"))
                    }
                    #expect(!other.log.lines.contains { $0.contains("another worker has this name") })
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func jobsOfAnUnknownOrderAreNotRetriedInSilence() async throws {
        try await Shop.run { shop in
            let ended = try await shop.run(["jobs", "retry", "--order", "nope", "--why", "x"])

            expect(ended, ends: 1, naming: "there is no order nope")
        }
    }

    @Test(arguments: ["1x", "yesterday", "2026-02-31"])
    func changesBeginAtATimeAnAgeOrTheOldest(from: String) async throws {
        let ended = try await Program.run(["changes", "--from", from])

        #expect(ended.status == .exited(64))
        #expect(ended.errors.contains("an age like 2h, or oldest"), "\(ended.errors)")
    }
}
