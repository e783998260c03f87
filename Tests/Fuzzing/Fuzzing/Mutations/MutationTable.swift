// SPDX-License-Identifier: Apache-2.0

import Verification

/// How many mutated proofs came to what, by field and by signer.
package struct MutationTable {
    private struct Row: Hashable {
        let form: MutatedProof.Form
        let field: String
        let isTrusted: Bool
    }

    private var rows: [Row] = []
    private var counts: [Row: [String: Int]] = [:]

    package init() {}

    package mutating func count(_ proof: MutatedProof, _ finding: MutationFinding) {
        let row = Row(form: proof.form, field: proof.field, isTrusted: proof.signing == .trusted)
        if counts[row] == nil { rows.append(row) }
        let label = finding.outcome.rawValue + (finding.reason.map { " (\($0.rawValue))" } ?? "")
        counts[row, default: [:]][label, default: 0] += 1
    }

    /// In Markdown; the order is that of the generator.
    package var text: String {
        let head = "| proof | field | signed by the trusted root | signed for another content, or below a foreign root |\n|---|---|---|---|\n"
        let body = rows.filter(\.isTrusted).map { row in
            let forged = Row(form: row.form, field: row.field, isTrusted: false)
            return "| \(row.form.rawValue) | \(row.field) | \(cell(row)) | \(cell(forged)) |\n"
        }
        return head + body.joined()
    }

    private func cell(_ row: Row) -> String {
        (counts[row] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
            .joined(separator: ", ")
    }
}
