// SPDX-License-Identifier: Apache-2.0

/// How the reading of a history ended. A class, because it is what asynchronous calls return.
final class HistoryEnd: Sendable {
    /// Where it was left; nil when Apple named no position.
    let position: String?

    /// False when the allowed number of pages was not enough.
    let isComplete: Bool

    init(position: String?, isComplete: Bool) {
        self.position = position
        self.isComplete = isComplete
    }
}
