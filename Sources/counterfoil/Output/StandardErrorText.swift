// SPDX-License-Identifier: Apache-2.0

import Observability

/// What a command says to the person who gave it, beside its output.
enum StandardErrorText {
    /// Writes one line.
    static func write(_ line: String) {
        StandardError(journalStream: nil).write(line + "\n")
    }
}
