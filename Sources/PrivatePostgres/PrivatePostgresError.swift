// SPDX-License-Identifier: Apache-2.0

/// Why a private server could not be set up, started or stopped: what was being done, and what the tool or the system said.
package struct PrivatePostgresError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
