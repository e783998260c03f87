// SPDX-License-Identifier: Apache-2.0

/// Why a command could not be carried out: one line for the person who gave it, and the exit status for programs.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
    package let status: ExitStatus
    /// One line, without anything secret.
    package let description: String

    package init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
