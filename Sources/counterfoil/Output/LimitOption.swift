// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// The limit of a list.
struct LimitOption: ParsableArguments {
    @Option(help: "The most rows to list, 1 to 100000.")
    var limit: Int32 = 50

    /// One more than the limit: a statement that returns so many rows has further ones.
    var rowsToRead: Int32 { limit + 1 }

    /// The rows within the limit. If there are more, a line on standard error says so.
    ///
    /// - Parameter next: the option that goes on behind a row, where the list has one, and the field that it takes.
    func cut(_ rows: [OutputValue], next: (option: String, field: String)? = nil) -> [OutputValue] {
        guard rows.count > Int(limit) else { return rows }
        let shown = Array(rows.prefix(Int(limit)))
        if let next, let last = shown.last {
            // One word for a shell, and no option of its own.
            let value = last[next.field].plainText.replacing("'", with: "'\\''")
            StandardErrorText.write("There are more than \(limit): go on with \(next.option)='\(value)'.")
        } else {
            StandardErrorText.write("There are more than \(limit); see --limit.")
        }
        return shown
    }

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("The limit must be from 1 to 100000.")
        }
    }
}
