// SPDX-License-Identifier: Apache-2.0

/// A `notify` that reached a connection which listens to its channel.
package struct PostgresNotification: Sendable, Hashable {
    package let channel: String
    /// Empty when the sender gave none.
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
