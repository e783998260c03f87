// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The lines that a process wrote so far.
typealias LineLog = EventLog<String>

extension EventLog<String> {
    var lines: [String] { all }

    /// Waits for the line that is the `count`th to contain `text`.
    ///
    /// - Throws: ``MissingLine`` when the process ended before, or the test was cancelled.
    @discardableResult
    func line(containing text: String, count: Int = 1) async throws -> String {
        guard let line = await next(count, where: { $0.contains(text) }) else { throw MissingLine(text: text, lines: lines) }
        return line
    }
}

struct MissingLine: Error, CustomStringConvertible {
    let text: String
    let lines: [String]

    var description: String { "no line contains \"\(text)\":\n" + lines.joined(separator: "\n") }
}
