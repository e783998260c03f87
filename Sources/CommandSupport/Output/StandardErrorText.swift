// SPDX-License-Identifier: Apache-2.0

import Observability

/// What a command says to the person who gave it, beside its output.
package enum StandardErrorText {
    /// Writes one line.
    package static func write(_ line: String) {
        StandardError(journalStream: nil).write(line + "\n")
    }

    /// Writes why a command ends in failure, so that it is an error in the journal.
    ///
    /// - Parameter journalStream: see `StandardError`.
    package static func writeFailure(_ text: String, journalStream: String?) {
        let standardError = StandardError(journalStream: journalStream)
        standardError.write(failure(text, isJournal: standardError.keepsTime))
    }

    /// The lines of a failure, their ends included; a database's message may hold what customers chose. The journal takes each for
    /// an entry of its own, whose priority precedes it (systemd's sd-daemon(3)).
    package static func failure(_ text: String, isJournal: Bool) -> String {
        let priority = isJournal ? "<3>" : ""
        return text.split(whereSeparator: \.isNewline)
            .map { "\(priority)\(OutputValue.text(String($0)).plainText)\n" }.joined()
    }
}
