// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import counterfoil

/// How doctor judges what the server says.
@Suite struct SessionFactsTests {
    private static let healthy = SessionFacts(
        serverVersion: 150_014, role: "counterfoil_worker", backendPID: 5, announcedPID: 5, clockAhead: 0.2,
        isInRecovery: false, isReadOnly: false, statementTimeout: 30, idleTimeout: 30, ownerSeesSessions: true, databaseBytes: 10 << 30,
        ledgerBytes: 1 << 30, historyBytes: 5 << 30, freeBytes: 100 << 30, hasListenURL: false)

    /// A fault: its subject, its level, and what makes it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let subject: String
        let level: DoctorFinding.Level
        let make: @Sendable (inout SessionFacts) -> Void

        var testDescription: String { "\(subject), \(level)" }
    }

    static let faults = [
        Fault(subject: "database", level: .wrong) { $0.serverVersion = 140_009 },
        Fault(subject: "primary", level: .wrong) { $0.isInRecovery = true },
        Fault(subject: "primary", level: .wrong) { $0.isReadOnly = true },
        Fault(subject: "pooler", level: .warning) { $0.announcedPID = 77 },
        Fault(subject: "clock", level: .warning) { $0.clockAhead = 6 },
        Fault(subject: "clock", level: .warning) { $0.clockAhead = -6 },
        Fault(subject: "timeouts", level: .warning) { $0.statementTimeout = 0 },
        Fault(subject: "timeouts", level: .warning) { $0.idleTimeout = 0 },
        Fault(subject: "sessions", level: .warning) { $0.ownerSeesSessions = false },
        Fault(subject: "disk", level: .warning) { $0.freeBytes = nil },
        Fault(subject: "disk", level: .warning) { $0.freeBytes = 4 << 30 },
        Fault(subject: "disk", level: .wrong) { $0.freeBytes = 100 << 20 },
    ]

    @Test func aHealthyServerIsWell() {
        #expect(Self.healthy.findings.allSatisfy { $0.level == .ok && $0.mend == nil })
    }

    @Test(arguments: faults)
    func aFaultIsNamedWithWhatMendsIt(_ fault: Fault) throws {
        var facts = Self.healthy
        fault.make(&facts)

        let findings = facts.findings.filter { $0.level != .ok }

        #expect(findings.map(\.subject) == [fault.subject])
        #expect(findings.map(\.level) == [fault.level])
        #expect(findings.allSatisfy { $0.mend?.isEmpty == false })
    }

    @Test func aPoolerIsFineWithADirectConnectionBesideIt() {
        var facts = Self.healthy
        facts.announcedPID = 77
        facts.hasListenURL = true

        #expect(facts.findings.allSatisfy { $0.level == .ok })
    }

    @Test func aFindingIsOneLine() {
        let finding = DoctorFinding.wrong("disk", "a\nb", mend: "c")

        #expect(finding.line == "wrong    disk: a\\u{a}b; c")
    }
}
