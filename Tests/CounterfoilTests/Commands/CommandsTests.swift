// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import PrivatePostgres
import Schema
import TestSupport
import Testing
import VerificationQueue

@testable import CommandSupport
@testable import counterfoil

@Suite struct CommandsTests {
    @Test(.timeLimit(.minutes(3)))
    func whatIsNotNamedStaysWhenAnAppIsChanged() async throws {
        try await Shop.run { shop in
            try await shop.succeed(["apps", "add", "a.b", "--sandbox", "allow", "--ledger-starts-at", "2026-01-31"])

            let output = try await shop.succeed(["apps", "add", "a.b", "--absent-token", "review"])

            #expect(
                output.hasPrefix(
                    "app a.b is changed\n    sandbox allow\n    absent-token review\n    ledger-starts-at 2026-01-31T00:00:00Z\n"))
            try await shop.wait(
                until: """
                    exists (
                        select from counterfoil.apps
                        where bundle_id = 'a.b' and sandbox_policy = 'allow' and absent_token_policy = 'review'
                            and ledger_starts_at = '2026-01-31 00:00:00+00'
                    )
                    """)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func appsAreListedWithTheirPoliciesAndTheStandingOfTheirCredentials() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                """
                insert into counterfoil.apps (bundle_id, sandbox_policy, confirm_after)
                values
                    ('a.new', 'deny', '10 minutes'), ('b.accepted', 'allow', null), ('c.refused', 'allow', null),
                    ('d.at_fault', 'allow', null)
                """)
            try await shop.execute(
                """
                update counterfoil.gates set credential_digest = sha256('a'), credential_accepted_at = now() - interval '1 hour'
                where bundle_id in ('b.accepted', 'c.refused', 'd.at_fault') and route = 'server_api'
                """)
            try await shop.execute(
                """
                insert into counterfoil.credential_refusals
                    (lane, order_id, credential_digest, proof_hash, needs_credential, is_of_proof)
                select g.lane, o.order_id, sha256('a'), sha256('b'), true, o.order_id = 'of its proof'
                from counterfoil.gates g
                join (values ('b.accepted', 'of its proof'), ('c.refused', 'o'), ('d.at_fault', 'o')) as o (bundle_id, order_id)
                    on o.bundle_id = g.bundle_id
                where g.route = 'server_api' and g.environment = 'production'
                """)
            try await shop.execute(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'configuration'
                where bundle_id = 'd.at_fault' and route = 'server_api' and environment = 'production'
                """)

            let apps = try await shop.succeed(["apps", "list", "--json"])
            let table = try await shop.succeed(["apps", "list"])

            for part in [
                #""bundle_id":"a.new","sandbox_policy":"deny""#, #""confirm_after":"00:10:00""#,
                #""closed_gates":0,"credentials":null"#, #""closed_gates":0,"credentials":"accepted""#,
                #""closed_gates":0,"credentials":"refused""#, #""closed_gates":1,"credentials":"at_fault""#, #""products":1"#,
            ] {
                #expect(apps.contains(part), "\(part): \(apps)")
            }
            for bundle in ["a.new", "b.accepted", "c.refused", "d.at_fault", Shop.bundle] {
                #expect(table.contains(bundle), "\(table)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aNewAppsReceiptsAskTheServerAPIAndAnOldAppsRouteStays() async throws {
        try await Shop.run { shop in
            let added = try await shop.succeed(["apps", "add", "a.b"])
            // As before this default: Shop.bundle was added with it.
            let changed = try await shop.succeed(["apps", "add", Shop.bundle, "--sandbox", "allow"])

            #expect(added.hasPrefix("app a.b is added\n") && added.contains("\nreceipts: "))
            #expect(added.contains("a.b.server-api-key"))
            #expect(changed.hasPrefix("app \(Shop.bundle) is changed\n") && !changed.contains("receipts: "))
            try await shop.wait(
                until: """
                    (select array_agg(receipt_route order by bundle_id) from counterfoil.apps where bundle_id in ('a.b', '\(Shop.bundle)'))
                        = array['local_then_api', 'verify_receipt']
                    """)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aBrokenRuleIsToldInWordsWithItsName() async throws {
        try await Shop.run { shop in
            let long = String(repeating: "x", count: 201)

            let ended = try await shop.run(["products", "add", Shop.bundle, long, "--kind", "consumable"])

            #expect(ended.status == .exited(1))
            #expect(
                ended.errors == "counterfoil: a product id has 1 to 200 characters (product_id_has_1_to_200_characters)\n")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func submittingAgainChangesNothing() async throws {
        try await Shop.run { shop in
            let proof = try shop.signedTransaction()
            try await shop.submit("o", proof: proof + "\n")
            try await shop.submit("o", proof: proof)

            #expect(try await shop.order("o").jobs.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrderIdIsNotUsedTwice() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ1", account: "ann")

            let ended = try await shop.run(
                ["submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coins", "--account", "bob"],
                input: "eyJ2")

            #expect(ended.status == .exited(1))
            #expect(ended.errors.contains("(order_ids_are_unique)"))
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: ["", "  \n", "a\u{0}b"])
    func aProofMustBeText(proof: String) async throws {
        try await Shop.run { shop in
            let ended = try await shop.run(
                ["submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann"],
                input: proof)

            #expect(ended.status == .exited(65))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aProofMayComeFromAFile() async throws {
        try await Shop.run { shop in
            let file = try shop.folder.write(Array(try shop.signedTransaction().utf8) + [0x0A], to: "proof.jws")
            try await shop.succeed([
                "submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann", "--proof",
                file,
            ])

            let ended = try await shop.run([
                "submit", "--order", "p", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann", "--proof",
                file + ".missing",
            ])

            #expect(try await shop.order("o").jobs.count == 1)
            #expect(ended.status == .exited(65))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aProofCanNotBePassedAsAnArgument() async throws {
        let help = try await Program.run(["submit", "--help"])
        let ended = try await Program.run(
            ["submit", "--order", "o", "--bundle", "b", "--product", "p", "--account", "a", "eyJ0eXAi"])

        #expect(help.output.contains("standard input"))
        #expect(ended.status == .exited(64))
    }

    @Test(.timeLimit(.minutes(3)))
    func aJobIsCancelledByNameAndReason() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ1")
            let job = try #require(try await shop.order("o").jobs.first)

            try await shop.succeed(["jobs", "cancel", "\(job.id)", "--why", "sent by mistake"])
            let again = try await shop.run(["jobs", "cancel", "\(job.id)", "--why", "sent by mistake"])

            let order = try await shop.order("o")
            #expect(order.jobs == [])
            #expect(order.history.map(\.disposition) == ["cancel"])
            #expect(order.history.first?.message?.hasSuffix(": sent by mistake") == true)
            try await shop.wait(until: "exists (select from counterfoil.proofs where order_id = 'o' and proof = 'eyJ1')")
            #expect(again.status == .exited(1))
            #expect(again.errors == "counterfoil: there is no job \(job.id)\n")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDiscardedJobIsRetriedFromTheBeginning() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ1")
            try await shop.execute(
                "update counterfoil.jobs set state = 'discarded', reason = 'crashed_repeatedly', rescues = 2, crashes = 3")
            let job = try #require(try await shop.order("o").jobs.first)

            try await shop.succeed(["jobs", "retry", "\(job.id)", "--why", "it was our fault"])

            #expect(
                try await shop.order("o").jobs == [.init(id: job.id, state: "available", rescues: 2, crashes: 0)])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRunningJobIsLeftAlone() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ1")
            try await shop.execute(
                """
                update counterfoil.jobs
                set state = 'running', worker_id = 1, claimed_at = now(), lease_expires_at = now() + interval '1 h'
                """)
            let job = try #require(try await shop.order("o").jobs.first)

            for arguments in [["retry", "\(job.id)", "--why", "x"], ["cancel", "\(job.id)", "--why", "x"]] {
                let ended = try await shop.run(["jobs"] + arguments)

                #expect(ended.status == .exited(1))
                #expect(ended.errors.contains("is running"))
            }
            #expect(try await shop.order("o").jobs == [job])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOperatorClosesAndOpensGates() async throws {
        try await Shop.run { shop in
            #expect(try await shop.succeed(["gates", "--closed"]) == "no gate is closed\n")
            #expect(try await shop.succeed(["gates", "close", "1", "--why", "Apple's maintenance"]) == "gate 1 is closed\n")
            // One in a line, and what stands below it; not the open ones.
            let closed = try await shop.succeed(["gates", "--closed"])
            #expect(closed.contains("Apple's maintenance") && !closed.contains("verify_receipt"), "\(closed)")
            #expect(try await shop.succeed(["gates", "list", "--bundle", "com.example.other"]).hasPrefix("no gates of this app"))
            #expect(try await shop.succeed(["gates", "list", "--bundle", Shop.bundle]).contains("verify_receipt"))
            #expect(try await shop.succeed(["gates", "list", "--json"]).contains(#""why":"Apple's maintenance""#))
            let opened = try await shop.run(["gates", "open", "1", "--why", "it is over", "--operator", "eve"])
            #expect(opened.output == "gate 1 is open\n")
            for part in ["gate opened by hand", "eve", "it is over", "Apple's maintenance"] {
                #expect(opened.errors.contains(part), "\(opened.errors)")
            }
            #expect(try await shop.succeed(["gates", "open", "1", "--why", "x"]) == "gate 1 was open already\n")

            let unknown = try await shop.run(["gates", "open", "999", "--why", "x"])

            #expect(unknown.status == .exited(1))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func listsAreNarrowed() async throws {
        try await Shop.run { shop in
            try await shop.submit("a", proof: "eyJ1", account: "ann")
            try await shop.submit("b", proof: "eyJ2", account: "bob")

            let orders = try await shop.succeed(["orders", "list", "--account", "bob", "--json"])
            let none = try await shop.succeed(["orders", "list", "--state", "refunded", "--json"])
            let jobs = try await shop.succeed(["jobs", "list", "--order", "a", "--json"])

            #expect(orders.contains(#""order_id":"b""#))
            #expect(!orders.contains(#""order_id":"a""#))
            #expect(none == "[]\n")
            #expect(jobs.contains(#""order_id":"a""#))
            #expect(!jobs.contains("eyJ"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whatIsNotThereIsNotFound() async throws {
        try await Shop.run { shop in
            for arguments in [["orders", "show", "nothing"], ["jobs", "show", "77"], ["jobs", "retry", "77", "--why", "x"]] {
                let ended = try await shop.run(arguments)

                #expect(ended.status == .exited(1))
                #expect(ended.errorLines.count == 1)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aCheckThatFindsSomethingSaysWhat() async throws {
        try await Shop.run { shop in
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
            try await shop.execute(
                """
                insert into counterfoil.orders (
                    order_id, bundle_id, product_id, account_id, state, transaction_id, environment, fulfilled_at
                )
                values ('unpaid', '\(Shop.bundle)', 'coins', 'ann', 'fulfilled', '1', 'production', now())
                """)

            let ended = try await shop.run(["check"])
            let json = try await shop.run(["check", "--json"])

            #expect(ended.status == .exited(1))
            #expect(ended.output.contains("grants that contradict their order:"))
            #expect(ended.output.contains("unpaid"))
            #expect(json.status == .exited(1))
            #expect(
                json.output.contains(
                    #""grants_that_contradict_their_order":[{"fault":"fulfilled without a grant","order_id":"unpaid""#))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDatabaseThatIsAwayEndsACommand() async throws {
        let ended = try await Program.run(
            ["orders", "list"], environment: ["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"])

        #expect(ended.status == .exited(69))
        #expect(ended.errorLines.count == 1)
    }

    @Test func aStatementThatTakesTooLongIsNoAbsentDatabase() {
        let failure = CommandFailure(PostgresError(.timedOut, message: "it took 30 s"))

        #expect(failure.status == .temporaryFailure)
        #expect(failure.description == "the database did not answer in time: it took 30 s")
    }

    @Test(
        arguments: [
            ("57014", nil, CommandSupport.ExitStatus.temporaryFailure, "could not do it now: 57014"),
            ("55P03", "insert_grants", .temporaryFailure, "could not do it now: 55P03"),
            ("40001", nil, .temporaryFailure, "could not do it now: 40001"),
            ("53100", nil, .temporaryFailure, "could not do it now: 53100"),
            ("25006", nil, .databaseUnavailable, "is not available"),
            ("25006", "insert_grants", .databaseUnavailable, "is not available"),
            ("42703", "insert_grants", .failure, "does a trigger or a constraint stand in its way? 42703"),
            ("42501", "insert_words", .failure, "does a trigger or a constraint stand in its way? 42501"),
            ("42883", "settle_payments", .failure, "does a trigger or a constraint stand in its way? 42883"),
            ("42703", "list_orders", .schemaTooOld, "run counterfoil migrate"),
            ("42501", "list_orders", .noPermission, "lacks a privilege"),
            ("P0001", "list_orders", .failure, "P0001"),
        ] as [(String, String?, CommandSupport.ExitStatus, String)])
    func whatTheDatabaseRefusesIsToldByWhatToDo(state: String, statement: String?, status: CommandSupport.ExitStatus, part: String)
    {
        let failure = CommandFailure(
            PostgresError(.server, message: "it says so", sqlState: SQLState(rawValue: state), statementName: statement))

        #expect(failure.status == status)
        #expect(failure.description.contains(part))
        #expect(failure.description.contains("it says so"))
    }

    @Test(arguments: [
        ("insert_grants", "stock_is_not_negative", "does a trigger or a constraint stand in its way? 23514: it says so"),
        ("insert_grants", "one_grant_an_order", "the order was paid already"),
        ("insert_app", "stock_is_not_negative", "stock is not negative"),
    ])
    func aConstraintOfAnothersIsNamedAsItSaysItself(statement: String, constraint: String, part: String) {
        let failure = CommandFailure(
            PostgresError(
                .server, message: "it says so", sqlState: SQLState(rawValue: "23514"), constraint: constraint,
                statementName: statement))

        #expect(failure.description.contains(part))
    }

    @Test(arguments: [("cancel_job", CommandSupport.ExitStatus.temporaryFailure), ("list_jobs", .databaseUnavailable)])
    func whatMayHaveHappenedIsNotCalledUndone(statement: String, status: CommandSupport.ExitStatus) {
        let failure = CommandFailure(
            PostgresError(.connectionLost, message: "it hung up", statementName: statement))

        #expect(failure.status == status)
        #expect(failure.description.contains("look whether it happened") == (status == .temporaryFailure))
    }

    @Test(arguments: [
        ("2026-03-01", true), ("2026-03-01T09:30:00Z", true), ("2026-02-31", false), ("2026-03-01T25:99:00Z", false),
        ("2026-03-01T09:30:00Zfoo", false), ("2026-03-01T09:30:00Z+05:00", false), ("yesterday", false),
    ])
    func aTimeIsOneThatExists(text: String, isTaken: Bool) {
        #expect(((try? PostgresTimestamp(argumentText: text)) != nil) == isTaken)
    }

    @Test(arguments: [">/dev/full", ">&-"])
    func outputThatCanNotBeWrittenIsNoSuccess(redirection: String) async throws {
        let ended = try await Program.run(shell: "\"$0\" environment --json \(redirection)")

        #expect(ended.status == .exited(74))
        #expect(ended.errorLines == ["counterfoil: the output could not be written"])
    }

    /// The dynamic linker tells of a library's handlers when it runs them.
    @Test(arguments: [(["version"], Int32(0)), (["worker"], Int32(78))])
    func aProgramEndsWithoutExitHandlers(arguments: [String], status: Int32) async throws {
        let ended = try await Program.run(
            arguments, environment: ["LD_DEBUG": "files", "COUNTERFOIL_DATABASE_URL": "no url"])

        #expect(ended.status == .exited(status))
        #expect(ended.errors.contains("calling init: "))
        #expect(!ended.errors.contains("calling fini: "))
    }

    /// deploy/test-package looks at the list of a program that has one.
    @Test func aBuildWithoutAListOfItsPackagesSaysSo() async throws {
        let ended = try await Program.run(["version", "--dependencies"])

        #expect(ended.status == .exited(1))
        #expect(ended.output == "")
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains("built without a list of its packages"))
    }

    @Test func aLedgerThatMovedIsTriedAgain() {
        #expect(CommandFailure(OperatorError.ledgerMoved).status == .temporaryFailure)
        #expect(CommandFailure(OperatorError.noSuchOrder).status == .failure)
    }

    @Test(.timeLimit(.minutes(3)))
    func aRoleWithoutThePrivilegeIsToldSo() async throws {
        try await Shop.run { shop in
            let ended = try await Program.run(["apps", "add", "a.b"], environment: shop.environment)

            #expect(ended.status == .exited(77))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func thePasswordComesFromItsCredential() async throws {
        try await PrivatePostgresServer.withServer(
            settings: ["fsync=off"], loopback: .password, logger: .test
        ) { server in
            try await PostgresConnection.withConnection(to: server.url()) { connection in
                _ = try await connection.execute("alter role postgres password 'the right one'")
            }
            try await TemporaryFolder.with { folder in
                let environment = [
                    "COUNTERFOIL_DATABASE_URL": server.loopbackURL(), "CREDENTIALS_DIRECTORY": folder.path,
                ]
                _ = try folder.write("the right one\n".utf8, to: "postgres-password")
                let right = try await Program.run(["migrate"], environment: environment)
                let inURL = try await Program.run(
                    ["migrate"],
                    environment: ["COUNTERFOIL_DATABASE_URL": server.loopbackURL().replacing("@", with: ":of%20the%20url@")])
                _ = try folder.write("the wrong one\n".utf8, to: "postgres-password")
                let wrong = try await Program.run(["migrate"], environment: environment)
                let worker = try await Program.run(["worker"], environment: environment)

                #expect(right.status.isSuccess)
                #expect(inURL.status == .exited(77))
                #expect(inURL.errors.contains("the password is that of COUNTERFOIL_DATABASE_URL"), "\(inURL.errors)")
                #expect(!inURL.errors.contains("of the url"))
                #expect(wrong.status == .exited(77))
                #expect(worker.status == .exited(77))
                #expect(!(wrong.errors + worker.errors).contains("the wrong one"))
                // And each says which file it looked at.
                #expect((wrong.errors + worker.errors).matches(of: /the password is that of the credential .*postgres-password/).count == 2)
            }
        }
    }

    /// Nobody waits for a database that asks for a password and gets none.
    @Test(.timeLimit(.minutes(3)), arguments: [["apps", "list"], ["worker"]])
    func aMissingPasswordEndsACommandAndNamesItsFile(arguments: [String]) async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], loopback: .password, logger: .test) { server in
            try await TemporaryFolder.with { folder in
                let environment = ["COUNTERFOIL_DATABASE_URL": server.loopbackURL()]
                let named = environment.merging(["CREDENTIALS_DIRECTORY": folder.path]) { $1 }
                let unnamed = try await Program.run(arguments, environment: environment)
                let missing = try await Program.run(arguments, environment: named)
                _ = try folder.write("\n".utf8, to: "postgres-password")
                let empty = try await Program.run(arguments, environment: named)

                for (ended, part) in [
                    (unnamed, "COUNTERFOIL_CREDENTIALS_DIRECTORY"), (missing, "there is no credential postgres-password in \(folder.path)"),
                    (empty, "postgres-password is empty"),
                ] {
                    #expect(ended.status == .exited(77), "\(ended.errors)")
                    #expect(ended.errors.contains(part), "\(ended.errors)")
                    #expect(!ended.errors.contains("waiting for the database"), "\(ended.errors)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func constraintsThatHaveWordsExist() async throws {
        try await Shop.run { shop in
            let names = try await shop.database.withConnection { connection in
                try await connection.execute(
                    "select conname::text from pg_constraint where connamespace = 'counterfoil'::regnamespace"
                ).map { try $0.string(0) }
            }
            let indexes = ["one_job_of_an_order_runs_at_a_time", "one_grant_an_order", "one_grant_a_payment"]
            let routines = SQLFile.routinesAndViews.map(\.text).joined()

            for name in ConstraintRules.rules.keys where !names.contains(name) && !indexes.contains(name) {
                #expect(routines.contains("'\(name)'"), "\(name)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aSimulatorTellsHowToUseItAndStops() async throws {
        try await TemporaryFolder.with { folder in
            let ended = try await Program.whileRunning(
                ["simulator", "--folder", folder.path + "/made"], of: .counterfoilDev,
                environment: ["COUNTERFOIL_LOG_LEVEL": "debug"]
            ) { simulator in
                try await simulator.log.line(containing: "simulator listens", count: 3)
            }

            #expect(ended.status == .exited(0))
            #expect(FileManager.default.fileExists(atPath: folder.path + "/made/tls-ca.pem"))
            #expect(FileManager.default.fileExists(atPath: folder.path + "/made/signing-root.der"))
            #expect(FileManager.default.fileExists(atPath: folder.path + "/made/default.server-api-key"))
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: ["--production-port", "--sandbox-port"])
    func aSimulatorWhosePortIsTakenSaysSoInALine(option: String) async throws {
        try await TemporaryFolder.with { folder in
            try await PrivatePostgresServer.withServer(loopback: .password, logger: .test) { server in
                let ended = try await Program.run(
                    ["simulator", "--folder", folder.path, option, "\(server.port)"], of: .counterfoilDev)

                #expect(ended.status == .exited(71))
                #expect(
                    ended.errors == "counterfoil-dev: can't listen on 127.0.0.1:\(server.port): Address already in use\n")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func everyCommandHasHelp() async throws {
        let root = try await Program.run(["--help"])
        #expect(root.status.isSuccess)
        #expect(root.output.contains("79  the schema lacks a migration"))
        #expect(!root.output.contains("attempt  "))
        #expect(root.output.contains("man counterfoil") && root.output.contains("--generate-completion-script"))
        for command in [
            "migrate", "worker", "deliver", "gateway", "keys", "webhooks", "submit", "find", "orders", "customers", "accounts", "payments",
            "subscriptions", "consumption", "proofs", "jobs", "notifications", "gates", "apps", "products", "check", "doctor", "dashboard",
            "changes", "inspect", "environment", "version",
        ] {
            let help = try await Program.run([command, "--help"])

            #expect(help.status.isSuccess)
            #expect(root.output.contains("  \(command) "))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func everyCommandForDevelopersHasHelp() async throws {
        let root = try await Program.run(["--help"], of: .counterfoilDev)
        #expect(root.status.isSuccess)
        for command in ["up", "buy", "dev", "simulator"] {
            let help = try await Program.run([command, "--help"], of: .counterfoilDev)

            #expect(help.status.isSuccess)
            #expect(root.output.contains("  \(command) "))
        }
    }
}
