// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// The limit of a list.
struct LimitOption: ParsableArguments {
    @Option(help: "The most rows to list, 1 to 100000.")
    var limit: Int32 = 50

    /// One more than the limit: a statement that returns so many rows has further ones.
    var rowsToRead: Int32 { limit + 1 }

    /// The rows within the limit. If there are more, a line on standard error points to `--limit`.
    func cut(_ rows: [OutputValue]) -> [OutputValue] {
        guard rows.count > Int(limit) else { return rows }
        StandardErrorText.write("There are more than \(limit); see --limit.")
        return Array(rows.prefix(Int(limit)))
    }

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("The limit must be from 1 to 100000.")
        }
    }
}
