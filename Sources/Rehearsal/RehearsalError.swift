// SPDX-License-Identifier: Apache-2.0

/// Why the play couldn't go on: something of ours that it stands on failed, not what is being judged.
package struct RehearsalError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
