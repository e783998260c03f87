// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema

/// An installation that lacks one guard: the product's own workers, before a database that doesn't keep a rule, or that gets
/// statements from which the rule was taken out on the way.
struct Mutant: Sendable {
    /// A part of a statement's text, and what stands in its place.
    struct Edit: Sendable {
        let file: SQLFile
        let part: String
        let replacement: String
    }

    let name: String
    /// The guard that is missing.
    let guardSummary: String
    /// The scenario that has to notice.
    let scenario: String
    /// As what it has to: whatever else comes of the missing guard, this must.
    let complaint: Complaint
    var edits: [Edit] = []
    /// Statements by their names, replaced as a whole.
    var replacements: [String: PostgresStatement] = [:]
    /// Deliverers' statements by their names, replaced as a whole.
    var deliverersReplacements: [String: PostgresStatement] = [:]
    /// Sent once, after the schema is made.
    var changes: [PostgresStatement] = []

    /// Whether commits that wait for their standby are cancelled.
    var cancelsWaitingCommits = false

    /// The same of deliverers.
    var rewrittenForDeliverers: [String: String] { deliverersReplacements.mapValues(\.sql) }

    /// By a statement's name, the text that the server gets in place of its own.
    ///
    /// - Throws: when a statement doesn't contain what is to be taken out: then this would be no mutant.
    func rewritten() throws -> [String: String] {
        var texts = replacements.mapValues(\.sql)
        for edit in edits {
            let text = texts[edit.file.name] ?? edit.file.text
            guard text.contains(edit.part) else {
                throw BenchError("the mutant \(name) doesn't fit \(edit.file.name).sql any more")
            }
            texts[edit.file.name] = text.replacing(edit.part, with: edit.replacement)
        }
        return texts
    }
}
