// SPDX-License-Identifier: Apache-2.0

/// Apple's name for a test notification that was asked for; good for six months.
package struct TestNotificationToken: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
