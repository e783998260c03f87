// SPDX-License-Identifier: Apache-2.0

import CommandSupport

/// One line of what doctor found: what was looked at, how it is, and how to mend it.
struct DoctorFinding: Sendable, Equatable {
    enum Level: String, Sendable, Comparable {
        case ok, warning, wrong

        static func < (left: Level, right: Level) -> Bool {
            let order: [Level] = [.ok, .warning, .wrong]
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    let subject: String
    let level: Level
    let finding: String
    /// What to do; nil where nothing is to be done.
    let mend: String?

    static func ok(_ subject: String, _ finding: String) -> DoctorFinding {
        DoctorFinding(subject: subject, level: .ok, finding: finding, mend: nil)
    }

    static func warning(_ subject: String, _ finding: String, mend: String) -> DoctorFinding {
        DoctorFinding(subject: subject, level: .warning, finding: finding, mend: mend)
    }

    static func wrong(_ subject: String, _ finding: String, mend: String) -> DoctorFinding {
        DoctorFinding(subject: subject, level: .wrong, finding: finding, mend: mend)
    }

    /// `ok       database: …`, in one line.
    var line: String {
        let mark = level.rawValue + String(repeating: " ", count: 9 - level.rawValue.count)
        let text = mark + subject + ": " + finding + (mend.map { "; " + $0 } ?? "")
        return OutputValue.text(text).plainText
    }

    var value: OutputValue {
        .object([
            .init(name: "subject", value: .text(subject)), .init(name: "level", value: .text(level.rawValue)),
            .init(name: "finding", value: .text(finding)), .init(name: "mend", value: mend.map(OutputValue.text) ?? .null),
        ])
    }
}
