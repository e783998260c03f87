// SPDX-License-Identifier: Apache-2.0

/// A setting that the App Store module can't work with; stops the program at its start.
package struct AppStoreConfigurationError: Error, CustomStringConvertible, Sendable {
    /// Names the setting and what it may be; never holds a secret.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
