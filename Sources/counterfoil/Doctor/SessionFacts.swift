// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import FoundationEssentials
import Postgres

/// What the server says of itself and of our session, as doctor judges it. Without input or output.
struct SessionFacts: Sendable {
    var serverVersion: Int32
    var role: String
    /// The process that the server says serves us, and the one that the connection was told of at its start.
    var backendPID: Int32
    var announcedPID: Int32
    /// How far the server's clock is ahead of ours, in seconds; halved by the way there and back.
    var clockAhead: Double
    var isInRecovery: Bool
    /// Whether transactions of this session are read-only from the start.
    var isReadOnly: Bool
    var statementTimeout: Double
    var idleTimeout: Double
    var ownerSeesSessions: Bool
    var databaseBytes: Int64
    var ledgerBytes: Int64
    var historyBytes: Int64
    /// Room on the disk of a server on this machine; nil where that can't be known.
    var freeBytes: Int64?
    /// Whether a direct connection for `migrate` and signals is named.
    var hasListenURL: Bool

    /// The largest difference of clocks, in seconds, at which nothing is said: Apple refuses a token that was made more than
    /// a little in its future.
    static let clockTolerance = 5.0

    var findings: [DoctorFinding] {
        [version, recovery, pooler, clock, timeouts, sessions, disk]
    }

    private var version: DoctorFinding {
        let text = "PostgreSQL \(serverVersion / 10_000).\(serverVersion % 10_000), as \(role)"
        guard serverVersion >= 150_000 else {
            return .wrong("database", text, mend: "PostgreSQL 15 or later is needed")
        }
        return .ok("database", text)
    }

    private var recovery: DoctorFinding {
        if isInRecovery {
            return .wrong(
                "primary", "this server is a replica and takes no writes",
                mend: "name the primary, or all hosts with target_session_attrs=read-write (counterfoil_reader: primary)")
        }
        if isReadOnly {
            return .wrong(
                "primary",
                "default_transaction_read_only is on, for the server, the database or the role \(role): nothing can be written",
                mend: "reset it where it is set; a managed server may have set it for want of room on its disk")
        }
        return .ok("primary", "this server takes writes")
    }

    private var pooler: DoctorFinding {
        guard backendPID != announcedPID else { return .ok("pooler", "no pooler stands before the database") }
        guard hasListenURL else {
            return .warning(
                "pooler", "a pooler stands before the database, so that signals of new jobs may not arrive and migrate may fail",
                mend: "set \(Variable.listenURL) to a direct connection")
        }
        return .ok("pooler", "a pooler stands before the database; \(Variable.listenURL) goes around it")
    }

    private var clock: DoctorFinding {
        let seconds = (clockAhead * 10).rounded() / 10
        guard abs(clockAhead) > Self.clockTolerance else { return .ok("clock", "within \(abs(seconds)) s of the database's") }
        return .warning(
            "clock",
            "this machine's clock is \(Self.inWords(abs(seconds))) \(clockAhead > 0 ? "behind" : "ahead of") the database's",
            mend: "keep both by NTP: Apple refuses tokens of another time")
    }

    private var timeouts: DoctorFinding {
        guard statementTimeout > 0, idleTimeout > 0 else {
            return .warning(
                "timeouts", "the role \(role) has no statement_timeout or no idle_in_transaction_session_timeout",
                mend: "run workers as counterfoil_worker, whose settings counterfoil migrate makes")
        }
        return .ok("timeouts", "statements end after \(Int(statementTimeout)) s, idle transactions after \(Int(idleTimeout)) s")
    }

    private var sessions: DoctorFinding {
        ownerSeesSessions
            ? .ok("sessions", "the view health sees who holds old snapshots")
            : .warning(
                "sessions", "the view health can't see the sessions of other roles",
                mend: "as a superuser: grant pg_monitor to counterfoil_owner")
    }

    private var disk: DoctorFinding {
        let sizes =
            "ledger \(Self.megabytes(ledgerBytes)), history \(Self.megabytes(historyBytes)), database "
            + Self.megabytes(databaseBytes)
        guard let freeBytes else {
            return .warning(
                "disk", sizes + "; the room left is not known from here",
                mend: "watch it there, or run doctor as postgres on the database's machine")
        }
        let text = sizes + ", \(Self.megabytes(freeBytes)) free"
        let mend = "make room, or shorten COUNTERFOIL_ATTEMPT_RETENTION: without room nothing is granted"
        if freeBytes < 1 << 30 { return .wrong("disk", text, mend: mend) }
        if freeBytes < max(5 << 30, databaseBytes / 5) { return .warning("disk", text, mend: mend) }
        return .ok("disk", text)
    }

    /// `2 h 5 min`, or seconds where there are few.
    private static func inWords(_ seconds: Double) -> String {
        guard seconds >= 120 else { return "\(seconds) s" }
        let minutes = Int(seconds / 60)
        let (days, hours) = (minutes / 1440, minutes / 60 % 24)
        return [(days, "d"), (hours, "h"), (minutes % 60, "min")].filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }.joined(
            separator: " ")
    }

    private static func megabytes(_ bytes: Int64) -> String {
        bytes < 10 << 30 ? "\(bytes >> 20) MiB" : "\(bytes >> 30) GiB"
    }
}
