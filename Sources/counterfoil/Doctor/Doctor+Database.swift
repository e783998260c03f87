// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import EventSources
import FoundationEssentials
import Glibc
import Postgres
import Schema
import Verification
import VerificationQueue

/// The findings about the database: schema, roles, settings, what runs in settlements, health, and the shop's rows.
extension Doctor {
    /// Age limit of the orders whose tokens are counted, in days.
    private static let recentDays = 7

    /// After how many days without a notification an app is silent. Apple sends one for each purchase, mostly within seconds.
    /// With too few, a hiccup of Apple's looks like a missing address. With too many, refunds are missed meanwhile.
    private static let silentDays = 3

    /// From how many grants in ``silentDays`` on a silence means that Apple knows no address. Restored and older purchases are
    /// granted without a notification. Too low, and an app is warned of whose clients only restore; too high, and a small app
    /// never is.
    private static let silentGrants = 100

    /// Owners and privileges that a restore lost, because the server lacked some of our roles; empty if none were.
    func restore(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        try await connection.execute(SQLFile.findLostPrivileges.statement).map { row in
            .wrong(
                "privileges",
                try row.named(by: LossColumn.self).string(.lost) + ", because a restore met a server without that role",
                mend: "counterfoil migrate, as a superuser, grants them again")
        }
    }

    func schema(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        do {
            try await SchemaMigrator(logger: assembly.logger).check(connection)
            return [.ok("schema", "it is this program's: \(Migration.all.last?.file.name ?? "empty")")]
        } catch let problem as SchemaMigrator.Problem {
            return [.wrong("schema", problem.description, mend: "see counterfoil migrate --help")]
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            return [.warning("schema", "this role may not read which migrations it had", mend: "see the privileges")]
        }
    }

    /// The routines and views that aren't those that `migrate` made, or that it made of other texts than this program's.
    func definitions(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        var names: [String: [String]] = [:]
        do {
            let rows = try await connection.execute(SQLFile.findDefinitionDifferences.statement, SchemaMigrator.definitions)
            for row in rows.map({ $0.named(by: DefinitionColumn.self) }) {
                names[try row.string(.difference), default: []].append(try row.string(.name))
            }
        } catch {
            guard error.sqlState == .insufficientPrivilege else { throw error }
            return [
                .warning("definitions", "this role may not see which routines and views were replaced", mend: "see the privileges")
            ]
        }
        var findings: [DoctorFinding] = []
        if let replaced = names["replaced"] {
            findings.append(
                .warning(
                    "definitions", "somebody replaced or dropped " + replaced.joined(separator: ", "),
                    mend: "counterfoil migrate makes them anew"))
        }
        if let others = names["of_another_version"] {
            findings.append(
                .warning(
                    "definitions",
                    "those of the database are another version's than this program's: " + others.joined(separator: ", "),
                    mend: "counterfoil migrate, by the newest version that is installed"))
        }
        guard findings.isEmpty else { return findings }
        let rest = names["not_compared"].map {
            "; \($0.count) can't be compared before the next migrate, after a restore or with another version of PostgreSQL"
        }
        return [.ok("definitions", "the routines and views are those that migrate made, and this program's" + (rest ?? ""))]
    }

    func session(_ connection: PostgresConnection) async throws -> SessionFacts {
        let before = Date()
        let row = try await connection.execute(SQLFile.inspectSession.statement)[0].named(by: SessionColumn.self)
        let after = Date()
        let databaseTime = try row.timestamp(.serverTime).date
        // Tokens for Apple bear the time that those of workers bear.
        assembly.clock.follow(databaseTime)
        let midway = before.addingTimeInterval(after.timeIntervalSince(before) / 2)
        let folder = try row.optionalString(.dataDirectory)
        return SessionFacts(
            serverVersion: try row.int32(.serverVersion), role: try row.string(.role), backendPID: try row.int32(.backendPID),
            announcedPID: await connection.serverProcessID,
            clockAhead: databaseTime.timeIntervalSince(midway), isInRecovery: try row.bool(.inRecovery),
            isReadOnly: try row.bool(.readOnly), statementTimeout: try row.double(.statementTimeoutSeconds),
            idleTimeout: try row.double(.idleTimeoutSeconds), ownerSeesSessions: try row.bool(.ownerSeesSessions),
            databaseBytes: try row.int64(.databaseBytes), ledgerBytes: try row.int64(.ledgerBytes),
            historyBytes: try row.int64(.historyBytes),
            freeBytes: try row.bool(.isLocal) ? folder.flatMap(Self.freeBytes) : nil,
            hasListenURL: assembly.settings.listenURL != nil)
    }

    /// The start of our sessions: the settings of the roles, and the schemas in which the server looks names up.
    func settings(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        let differences = try await connection.execute(SQLFile.findRoleSettings.statement).map { row in
            let row = row.named(by: SettingColumn.self)
            let (role, setting) = (try row.string(.role), try row.string(.setting))
            let found = try row.optionalString(.found).map { "\(role) has \(setting) = \($0)" } ?? "\(role) has no \(setting)"
            return DoctorFinding.warning(
                "settings", "\(found) in this database, in place of \(try row.string(.value))",
                mend: setting == "log_parameter_max_length"
                    ? "counterfoil migrate, as a superuser: proofs are bound as parameters, and a server that logs statements shows them"
                    : "counterfoil migrate, as a superuser or as the role that made \(role)")
        }
        let openings = try await connection.execute(SQLFile.findOpenSchemas.statement).map { row in
            let row = row.named(by: OpenSchemaColumn.self)
            let (schema, creator) = (try row.string(.schema), try row.string(.creator))
            return DoctorFinding.warning(
                "path", "\(creator) may make functions in the schema \(schema), which sessions look names up in",
                mend: "revoke create on schema \(schema) from \(creator == "every role" ? "public" : creator)")
        }
        return (differences.isEmpty ? [.ok("settings", "the roles have theirs")] : differences)
            + (openings.isEmpty ? [.ok("path", "nobody else may make functions where names are looked up")] : openings)
    }

    /// Whether a signal comes back by the connection that is named for them; nil where none is named, or none is used.
    func listening() async -> DoctorFinding? {
        guard assembly.settings.listens, assembly.settings.listenURL != nil else { return nil }
        do {
            let listener = try assembly.makeSignalListener()
            return try await before(.now + .seconds(5), waitingFor: "a signal of our own") {
                for await _ in listener { break }
                return DoctorFinding.ok("signals", "they arrive by \(Variable.listenURL)")
            }
        } catch {
            // A connection that doesn't try again has the reason.
            let why = await reasonWhyNobodyListens() ?? "\(error)"
            return .warning(
                "signals", "none arrives by \(Variable.listenURL): \(why)",
                mend: "name a direct connection to the primary there, whose user and password are those of \(Variable.databaseURL)")
        }
    }

    private func reasonWhyNobodyListens() async -> String? {
        do {
            try await assembly.withConnection(direct: true) { _ in }
            return nil
        } catch {
            return (error as? PostgresError)?.message ?? CommandFailure(error).description
        }
    }

    /// Room below a folder that only the server may look into: that of the nearest folder above it.
    private static func freeBytes(_ folder: String) -> Int64? {
        var folder = folder
        while !folder.isEmpty {
            var facts = statvfs()
            if statvfs(folder, &facts) == 0 { return Int64(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize)) }
            folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        }
        return nil
    }

    /// The privileges that our roles lack of those that `migrate` granted, and those that they have beyond.
    func privileges(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        let missing = try await connection.execute(SQLFile.findMissingPrivileges.statement).map { try $0.string(0) }
        guard missing.isEmpty else {
            let role = try await connection.execute(SQLFile.nameRole.statement)[0].string(0)
            return [
                .wrong(
                    "privileges", "the role \(role) lacks " + missing.joined(separator: ", "),
                    mend: "workers connect as counterfoil_worker")
            ]
        }
        let differences: [DoctorFinding]
        do {
            differences = try await connection.execute(SQLFile.findPrivilegeDifferences.statement).map { row in
                let row = row.named(by: PrivilegeColumn.self)
                let (object, role) = (try row.string(.object), try row.string(.role))
                let mend = try row.string(.statement) + "; or counterfoil migrate"
                return try row.bool(.isMissing)
                    ? .wrong("privileges", "\(role) lacks privileges on \(object) that migrate grants", mend: mend)
                    : .warning("privileges", "\(role) has privileges on \(object) that migrate doesn't grant", mend: mend)
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            return [.wrong("privileges", "this role may not see which it lacks: \(error.message)", mend: "counterfoil migrate")]
        }
        return differences.isEmpty ? [.ok("privileges", "each role has those that migrate grants")] : differences
    }

    /// Triggers on our tables that others made: they run with the rights of whoever settles.
    func triggers(_ connection: PostgresConnection) async throws -> DoctorFinding {
        let others = try await connection.execute(SQLFile.findOtherTriggers.statement).map { row in
            let row = row.named(by: TriggerColumn.self)
            return "\(try row.string(.trigger)) runs \(try row.string(.function))"
        }
        guard others.isEmpty else {
            return .warning(
                "triggers", "others run in settlements, with a worker's rights: " + others.joined(separator: ", "),
                mend: "drop these; counterfoil deliver calls a function for each change, outside of settlements")
        }
        return .ok("triggers", "none on our tables is another's")
    }

    /// Replication, in any case; then what hurts or is about to, one line when nothing does.
    func health(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        let findings = try await connection.execute(SQLFile.readHealth.statement).map { row in
            let row = row.named(by: HealthColumn.self)
            let level: DoctorFinding.Level =
                switch try row.string(.level) {
                case "ok": .ok
                case "critical": .wrong
                default: .warning
                }
            return DoctorFinding(
                subject: try row.string(.subject), level: level, finding: try row.string(.finding),
                mend: try row.optionalString(.mend))
        }
        let replication = findings.filter { $0.subject == "replication" }
        let troubles = findings.filter { $0.level != .ok && $0.subject != "replication" }
        return replication
            + (troubles.isEmpty ? [.ok("health", "autovacuum, partitions, snapshots, jobs and workers are well")] : troubles)
    }

    /// The share of each app's recent orders that bear an app account token.
    func tokens(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        let rows = try await connection.execute(SQLFile.countTokens.statement, [.int4(Int32(Self.recentDays))])
        return try rows.map { row in
            let row = row.named(by: TokenColumn.self)
            let (orders, withToken) = (try row.int64(.orders), try row.int64(.withToken))
            return .ok(
                "tokens of \(try row.string(.bundleID))",
                "\(withToken) of \(orders) orders of the last \(Self.recentDays) days (\(100 * withToken / orders) %) bear an app "
                    + "account token, which proves the owner and lets a payment be granted without the client")
        }
    }

    /// Apps without notifications of Apple's, although their payments are granted.
    func silentApps(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        let rows = try await connection.execute(
            SQLFile.findSilentApps.statement, [.int4(Int32(Self.silentDays)), .int8(Int64(Self.silentGrants))])
        return try rows.map { row in
            let row = row.named(by: SilenceColumn.self)
            return .warning(
                "notification address of \(try row.string(.bundleID)) in \(try row.string(.environment))",
                "Apple seems to know none: \(try row.int64(.grants)) payments were granted within \(Self.silentDays) days, and no "
                    + "notification came. Refunds and lost orders of this app come only when a client uploads a proof",
                mend: "name one in App Store Connect that calls counterfoil.receive_notification "
                    + "(sql/docs/apple.md, \"Notifications\"); doctor has Apple send a test there, by the app's key")
        }
    }
}
