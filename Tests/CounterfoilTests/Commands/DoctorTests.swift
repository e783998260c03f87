// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import CommandSupport
import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import counterfoil

/// `counterfoil doctor`: one line each, and what is wrong is named.
@Suite struct DoctorTests {
    private func doctor(_ environment: [String: String], _ arguments: [String] = []) async throws -> Program.Ended {
        try await Program.run(["doctor"] + arguments, environment: environment)
    }

    /// The only line about a subject.
    private func line(_ ended: Program.Ended, _ subject: String) throws -> Substring {
        let lines = ended.output.split(separator: "\n").filter { $0.dropFirst(9).hasPrefix(subject + ":") }
        try #require(lines.count == 1, "\(ended.output)\(ended.errors)")
        return lines[0]
    }

    @Test(.timeLimit(.minutes(3)))
    func everythingIsLookedAt() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }

                let ended = try await doctor(environment)

                for subject in [
                    "schema", "database", "primary", "pooler", "clock", "timeouts", "sessions", "triggers", "privileges",
                    "settings", "path", "definitions",
                ] {
                    #expect(try line(ended, subject).hasPrefix("ok "))
                }
                #expect(try line(ended, "roots").hasPrefix("warning"))
                // The role of the workers isn't told where the database lies.
                #expect(try line(ended, "disk").hasPrefix("warning"))
                #expect(try line(ended, "workers").hasPrefix("wrong"))
                #expect(try line(ended, "App Store Server API of \(Shop.bundle)").hasPrefix("ok "))
                #expect(try line(ended, "verifyReceipt of \(Shop.bundle)").contains("Apple answers"))
                // Nobody works.
                #expect(ended.status == .exited(1))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theConnectionForSignalsIsTried() async throws {
        try await Shop.run { shop in
            let there = shop.database.url(user: "counterfoil_worker")
            let nowhere = try await doctor(
                shop.environment.merging(["COUNTERFOIL_LISTEN_URL": "postgresql://a@127.0.0.1:1/b"]) { $1 })
            let here = try await doctor(shop.environment.merging(["COUNTERFOIL_LISTEN_URL": there]) { $1 })

            #expect(try line(nowhere, "signals").hasPrefix("warning"))
            #expect(try line(nowhere, "signals").contains("refused"))
            #expect(try line(here, "signals").hasPrefix("ok "))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRefusedKeyAndAMissingOneAreTold() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                simulator.replaceAPIKey()
                let refused = try await doctor(environment)
                try FileManager.default.removeItem(atPath: shop.folder.path + "/credentials/default.server-api-key")
                let missing = try await doctor(environment)

                let subject = "App Store Server API of \(Shop.bundle)"
                #expect(try line(refused, subject).hasPrefix("wrong"))
                #expect(try line(missing, subject).contains("there is no credential"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aSecretThatIsRefusedForSomeReceiptsIsToldFromOneThatIsRefusedForAll() async throws {
        try await Shop.run { shop in
            let gate = "route = 'verify_receipt' and environment = 'production'"
            let subject = "secret or key of \(Shop.bundle)"
            let before = try await doctor(shop.environment)
            try await shop.execute(
                "update counterfoil.gates set credential_digest = sha256('1'), credential_accepted_at = now() where \(gate)")
            try await shop.execute(
                """
                insert into counterfoil.credential_refusals (lane, order_id, credential_digest, proof_hash, needs_credential)
                select lane, 'a', sha256('1'), sha256('a'), false from counterfoil.gates where \(gate)
                """)
            let undecided = try await doctor(shop.environment)
            try await shop.execute("update counterfoil.gates set credential_accepted_at = now() where \(gate)")
            let alone = try await doctor(shop.environment)
            try await shop.execute(
                "update counterfoil.gates set state = 'closed', closed_by = 'configuration', closed_at = now() where \(gate)")
            let storm = try await doctor(shop.environment)
            try await shop.execute("update counterfoil.gates set credential_accepted_at = now() - interval '1 hour' where \(gate)")
            let all = try await doctor(shop.environment)

            #expect(!before.output.contains(subject))
            #expect(try line(undecided, subject).contains("no other proof has shown since whether it is right"))
            #expect(try line(alone, subject).hasPrefix("warning"))
            #expect(try line(alone, subject).contains("of 1 orders only, and accepts it for others"))
            #expect(try line(all, subject).hasPrefix("wrong"))
            #expect(try line(all, subject).contains("for all proofs"))
            #expect(try line(all, subject).contains("renew it, as the runbook says"))
            // Apple accepted it minutes ago: a storm of its own.
            #expect(try line(storm, subject).hasPrefix("wrong"))
            #expect(try line(storm, subject).contains("the fault is likelier Apple's"))
            #expect(try line(storm, subject).contains("leave it as it is"))
        }
    }

    /// A storm of 401s has closed the gate for an hour, and Apple accepts the key now: two lines that don't contradict each other.
    @Test(.timeLimit(.minutes(3)))
    func aKeyThatAppleAcceptsIsNotToBeRenewedFirst() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let gate = "route = 'server_api' and environment = 'production'"
                try await shop.execute(
                    """
                    update counterfoil.gates
                    set credential_digest = sha256('1'), credential_accepted_at = now() - interval '2 hours', state = 'closed',
                        closed_by = 'configuration', closed_at = now()
                    where \(gate)
                    """)
                try await shop.execute(
                    """
                    insert into counterfoil.credential_refusals (lane, order_id, credential_digest, proof_hash, needs_credential)
                    select lane, 'a', sha256('1'), sha256('a'), true from counterfoil.gates where \(gate)
                    """)
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                let accepted = try await doctor(environment)
                simulator.replaceAPIKey()
                let refused = try await doctor(environment)

                let (key, subject) = ("App Store Server API of \(Shop.bundle)", "secret or key of \(Shop.bundle)")
                #expect(try line(accepted, key).contains("Apple takes the app's key"))
                #expect(try line(accepted, subject).contains("leave it as it is"))
                #expect(try line(refused, key).hasPrefix("wrong"))
                #expect(try line(refused, subject).contains("renew it, as the runbook says"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aKeyIsTriedAlsoWhereTheRouteNeedsNone() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                try await shop.execute("update counterfoil.apps set confirm_after = null, receipt_route = 'local_only'")
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                let there = try await doctor(environment)
                try FileManager.default.removeItem(atPath: shop.folder.path + "/credentials/default.server-api-key")
                let missing = try await doctor(environment)

                #expect(try line(there, "App Store Server API of \(Shop.bundle)").contains("Apple takes the app's key"))
                #expect(!there.output.contains("Apple is asked nothing"))
                #expect(try line(missing, "app \(Shop.bundle)").hasPrefix("ok "))
                #expect(try line(missing, "app \(Shop.bundle)").contains("bare transaction ids can't be verified"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRouteWithoutItsKeyAndTheShareOfTokensAreTold() async throws {
        try await Shop.run { shop in
            try await shop.succeed(["apps", "add", Shop.bundle, "--receipt-route", "local_then_api"])
            try await shop.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token, created_at)
                select 'o' || i, '\(Shop.bundle)', '\(Shop.product)', 'ann', case when i = 1 then gen_random_uuid() end,
                    now() - make_interval(days => 2 * i)
                from generate_series(1, 4) as i
                """)

            let ended = try await doctor(shop.environment)

            #expect(try line(ended, "app \(Shop.bundle)").hasPrefix("wrong"))
            #expect(try line(ended, "app \(Shop.bundle)").contains("--receipt-route verify_receipt"))
            // The fourth order is eight days old.
            #expect(try line(ended, "tokens of \(Shop.bundle)").contains("1 of 3 orders of the last 7 days (33 %)"))
        }
    }

    /// Refunds of such an app are missed, and nothing else says so.
    @Test(.timeLimit(.minutes(3)))
    func anAppWhoseAddressAppleSeemsNotToKnowIsToldFromOneThatAppleTellsOf() async throws {
        try await Shop.run { shop in
            func findings() async throws -> [String: Substring] {
                let ended = try await doctor(shop.environment)
                let lines = ended.output.split(separator: "\n").filter { $0.contains("notification address of") }
                return Dictionary(
                    uniqueKeysWithValues: lines.map { ($0.contains("in production:") ? "production" : "sandbox", $0) })
            }
            // Beside them 1000 grants that are too old, and 1000 attempts that granted nothing.
            try await shop.execute(
                """
                insert into counterfoil.attempt_hours (hour, bundle_id, outcome, reason, proof_kind, environment, attempts)
                select date_trunc('hour', now()) - age, '\(Shop.bundle)', outcome, '', '', 'production', attempts
                from (
                    values (interval '1 hour', 'fulfilled', 50), ('70 hours', 'fulfilled', 49), ('73 hours', 'fulfilled', 1000),
                        ('1 hour', 'rejected', 1000)
                ) as a (age, outcome, attempts)
                """)
            let few = try await findings()
            try await shop.execute("update counterfoil.attempt_hours set attempts = 50 where attempts = 49")
            let many = try await findings()
            try await shop.execute(
                """
                insert into counterfoil.notifications (
                    notification_uuid, bundle_id, environment, type, source, received_at, payload_hash, is_of_an_app
                )
                select gen_random_uuid(), '\(Shop.bundle)', environment, 'REFUND', 'push', now() - age, sha256('1'), true
                from (values ('production', interval '73 hours'), ('sandbox', '1 hour')) as n (environment, age)
                """)
            let elsewhere = try await findings()
            try await shop.execute("update counterfoil.notifications set received_at = now() - interval '71 hours'")
            let told = try await findings()

            #expect(few.isEmpty && told.isEmpty)
            #expect(many.keys.sorted() == ["production"] && elsewhere.keys.sorted() == ["production"])
            let line = try #require(many["production"])
            #expect(line.hasPrefix("warning"))
            for word in ["100 payments", "within 3 days", "lost orders", "a client uploads a proof", "App Store Connect"] {
                #expect(line.contains(word), "\(word) in \(line)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aKeyIsGoodBeforeItsAppIsReleased() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                simulator.registerApp(Shop.bundle, isReleased: false)

                let ended = try await doctor(shop.environment.merging(shop.serverAPI(simulator)) { $1 })

                let found = try line(ended, "App Store Server API of \(Shop.bundle)")
                #expect(found.hasPrefix("ok "))
                #expect(found.contains("the app isn't released yet"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theDatabasesAdministratorIsToldTheRoomOnItsDisk() async throws {
        try await Shop.run { shop in
            let ended = try await doctor(["COUNTERFOIL_DATABASE_URL": shop.database.url()])

            #expect(try line(ended, "disk").contains(" free"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func triggersOfOthersAreTold() async throws {
        try await Shop.run { shop in
            try await shop.execute("create function public.f() returns trigger language plpgsql as 'begin return null; end'")
            try await shop.execute(
                "create trigger mine after insert on counterfoil.orders for each row execute function public.f()")

            let ended = try await doctor(shop.environment)

            let found = try line(ended, "triggers")
            #expect(found.hasPrefix("warning"))
            #expect(found.contains("mine on counterfoil.orders runs public.f()"))
            #expect(!found.contains("payments"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAppleThatCannotBeReachedIsTold() async throws {
        try await Shop.run { shop in
            let ended = try await doctor(shop.environment)

            #expect(try line(ended, "verifyReceipt of \(Shop.bundle)").hasPrefix("wrong"))
        }
    }

    /// The host answers, and nobody vouches for it.
    @Test(.timeLimit(.minutes(3)))
    func aCertificateThatIsNotTrustedIsNoAppleThatIsAway() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                var environment = shop.environment
                environment["COUNTERFOIL_TLS_ROOTS"] = nil

                let finding = try line(try await doctor(environment), "verifyReceipt of \(Shop.bundle)")

                #expect(finding.hasPrefix("wrong") && finding.contains("isn't trusted here: see COUNTERFOIL_TLS_ROOTS"), "\(finding)")
            }
        }
    }

    @Test(arguments: [
        (#"root certificate file "/root/.postgresql/root.crt" does not exist"#, "sslrootcert in COUNTERFOIL_DATABASE_URL"),
        ("server does not support SSL, but SSL was required", "sslmode in COUNTERFOIL_DATABASE_URL"),
        ("Connection refused", "whether the server is up"),
    ])
    func whatKeepsFromTheDatabaseHasItsMend(message: String, mend: String) {
        let failure = CommandFailure(PostgresError(.connect, message: message))

        #expect(failure.status == .databaseUnavailable)
        #expect(failure.description.contains("\(message); ") && failure.description.contains(mend), "\(failure)")
    }

    @Test(.timeLimit(.minutes(3)))
    func aRoleThatLacksPrivilegesIsTold() async throws {
        try await Shop.run { shop in
            let environment = shop.environment.merging(
                ["COUNTERFOIL_DATABASE_URL": shop.database.url(user: "counterfoil_reader")]) { $1 }

            let ended = try await doctor(environment)

            #expect(try line(ended, "privileges").contains("delete on jobs"))
        }
    }

    /// Each is named with the statement that puts it right, and `migrate` puts all of them right.
    @Test(.timeLimit(.minutes(3)))
    func privilegesThatDifferAreToldWithTheirMend() async throws {
        try await Shop.run { shop in
            try await shop.execute("revoke update (state) on counterfoil.jobs from counterfoil_worker")
            try await shop.execute("revoke all on counterfoil.notifications from counterfoil_worker")
            try await shop.execute("grant execute on function counterfoil.roll_up() to public")
            try await shop.execute("grant delete on counterfoil.payments to counterfoil_backend")

            let ended = try await doctor(shop.environment)
            let migration = try await shop.migrate()
            let mended = try await doctor(shop.environment)

            let lines = ended.output.split(separator: "\n")
            #expect(ended.status == .exited(1))
            for (level, statement) in [
                ("wrong", "grant update (state) on table counterfoil.jobs to counterfoil_worker"),
                ("wrong", "grant delete, insert, select, update on table counterfoil.notifications to counterfoil_worker"),
                ("warning", "revoke execute on function counterfoil.roll_up() from public"),
                ("warning", "revoke delete on table counterfoil.payments from counterfoil_backend"),
            ] {
                #expect(lines.contains { $0.contains(statement + "; or counterfoil migrate") }, "\(ended.output)")
                #expect(migration.errors.contains(statement), "\(migration.errors)")
                #expect(lines.filter { $0.hasPrefix(level) && $0.contains("privileges: ") }.count == 2)
            }
            #expect(try line(mended, "privileges").hasPrefix("ok "))
        }
    }

    /// What somebody added to the schema is not ours to judge.
    @Test(.timeLimit(.minutes(3)))
    func routinesAndViewsThatWereReplacedAreTold() async throws {
        try await Shop.run { shop in
            try await shop.execute("create view counterfoil.mine as select 1 as one")
            try await shop.execute("alter view counterfoil.mine owner to counterfoil_owner")
            let added = try await doctor(shop.environment)
            try await shop.execute("drop view counterfoil.throughput")
            try await shop.execute("alter function counterfoil.roll_up() set work_mem = '1MB'")
            let ended = try await doctor(shop.environment)
            try await shop.migrate()
            let mended = try await doctor(shop.environment)

            #expect(try line(added, "definitions").hasPrefix("ok "))
            #expect(try line(ended, "definitions").hasPrefix("warning"))
            #expect(
                try line(ended, "definitions").hasSuffix(
                    "somebody replaced or dropped roll_up, throughput; counterfoil migrate makes them anew"))
            #expect(try line(mended, "definitions").hasPrefix("ok "))
        }
    }

    /// As where a package was upgraded, and its `migrate` didn't run.
    @Test(.timeLimit(.minutes(3)))
    func routinesAndViewsOfAnotherVersionAreTold() async throws {
        try await Shop.run { shop in
            try await shop.execute("update counterfoil.definitions set text_checksum = 'x' where name in ('roll_up', 'submit')")
            try await shop.execute("delete from counterfoil.definitions where name = 'throughput'")

            let ended = try await doctor(shop.environment)

            #expect(try line(ended, "definitions").contains("another version's than this program's: roll_up, submit, throughput"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whatARestoreOrAnotherVersionOfTheServerWritesIsNotCompared() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                "update counterfoil.definitions set checksum = 'x', written_by = '14.1' where written_by is not null")

            let ended = try await doctor(shop.environment)

            #expect(try line(ended, "definitions").hasPrefix("ok "))
            #expect(try line(ended, "definitions").contains(" can't be compared before the next migrate"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRoleThatMayNotSeeTheDefinitionsIsTold() async throws {
        try await Shop.run { shop in
            let environment = ["COUNTERFOIL_DATABASE_URL": shop.database.url(user: "counterfoil_reader")]

            let ended = try await doctor(environment)

            #expect(try line(ended, "definitions").contains("this role may not see"))
        }
    }

    /// Without this one it sees no others.
    @Test(.timeLimit(.minutes(3)), arguments: ["privileges", "privilege_differences", "migrations", "definitions"])
    func aWorkerThatMayNotSeeItsPrivilegesIsTold(table: String) async throws {
        try await Shop.run { shop in
            try await shop.execute("revoke all on counterfoil.\(table) from counterfoil_worker")

            let ended = try await doctor(shop.environment)
            try await shop.migrate()
            let mended = try await doctor(shop.environment)

            #expect(ended.output.contains("wrong    privileges: "), "\(ended.output)")
            #expect(try line(mended, "privileges").hasPrefix("ok "))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDatabaseThatIsAwayIsTold() async throws {
        let ended = try await doctor(["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"])

        #expect(ended.status == .exited(1))
        #expect(try line(ended, "database").hasPrefix("wrong"))
    }

    @Test(.timeLimit(.minutes(3)))
    func anEmptyDatabaseIsTold() async throws {
        try await withTestDatabase { url in
            let ended = try await doctor(["COUNTERFOIL_DATABASE_URL": url])

            #expect(ended.status == .exited(1))
            #expect(try line(ended, "schema").contains("run counterfoil migrate"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aSettingThatARoleLostIsToldWithItsMend() async throws {
        try await Shop.run { shop in
            try await shop.execute(
                """
                do $$ begin
                    execute format('alter role counterfoil_worker in database %I reset search_path', current_database());
                    execute format('alter role counterfoil_reader in database %I set lock_timeout = %L', current_database(), '1h');
                end $$
                """)

            let ended = try await doctor(shop.environment)
            try await shop.migrate()
            let mended = try await doctor(shop.environment)

            let lines = ended.output.split(separator: "\n").filter { $0.contains("settings: ") }
            #expect(lines.count == 2, "\(ended.output)")
            #expect(lines.contains { $0.contains("counterfoil_reader has lock_timeout = 1h in this database, in place of 1s") })
            #expect(lines.contains { $0.contains("counterfoil_worker has no search_path in this database") })
            #expect(ended.output.contains("counterfoil migrate, as a superuser"))
            #expect(try line(mended, "settings").hasPrefix("ok "))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whoeverMayCreateWhereNamesAreLookedUpIsTold() async throws {
        try await Shop.run { shop in
            try await shop.execute("grant create on schema public to counterfoil_reader")
            let one = try await doctor(shop.environment)
            try await shop.execute("grant create on schema public to public")
            let all = try await doctor(shop.environment)

            #expect(try line(one, "path").contains("counterfoil_reader may make functions in the schema public"))
            #expect(one.output.contains("revoke create on schema public from counterfoil_reader"))
            #expect(all.output.contains("every role may make functions in the schema public"))
            #expect(all.output.contains("revoke create on schema public from public"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func programsReadJSON() async throws {
        try await Shop.run { shop in
            let ended = try await doctor(shop.environment, ["--json"])

            #expect(ended.output.hasPrefix(#"[{"subject":"roots","level":"warning","#))
        }
    }
}

extension Shop {
    /// Everything may be asked of the App Store Server API, by the key of a credentials folder.
    func useServerAPI(_ simulator: AppStoreSimulator) async throws {
        simulator.registerApp(Self.bundle)
        try FileManager.default.createDirectory(atPath: folder.path + "/credentials", withIntermediateDirectories: true)
        _ = try folder.write(simulator.apiKey().credential.utf8, to: "credentials/default.server-api-key")
        try await execute("update counterfoil.apps set confirm_after = '1 hour'")
    }

    /// What the program needs beyond ``environment`` to ask it.
    func serverAPI(_ simulator: AppStoreSimulator) -> [String: String] {
        [
            "COUNTERFOIL_SERVER_API_PRODUCTION_URL": "https://localhost:\(simulator.productionPort)",
            "COUNTERFOIL_SERVER_API_SANDBOX_URL": "https://localhost:\(simulator.sandboxPort)",
            "COUNTERFOIL_CREDENTIALS_DIRECTORY": folder.path + "/credentials",
        ]
    }
}
