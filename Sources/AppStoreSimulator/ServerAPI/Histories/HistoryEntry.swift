// SPDX-License-Identifier: Apache-2.0

/// Something in a history, and where it stands there.
struct HistoryEntry<Record: Sendable>: Sendable {
    let record: Record
    /// Numbers that rise along the history.
    let place: [Int64]
}
