// SPDX-License-Identifier: Apache-2.0

/// How many attempts ended their jobs by each of the two paths of a settlement.
struct PathCounts: Sendable, Equatable {
    let short: Int
    let careful: Int

    /// The path that wasn't taken, a line each: what strikes settlements has to strike both.
    var gaps: [String] {
        [("short", short), ("careful", careful)].filter { $0.1 == 0 }.map { "no settlement took the \($0.0) path" }
    }

    var line: String { "settled by the short path \(short), by the careful path \(careful)" }
}
