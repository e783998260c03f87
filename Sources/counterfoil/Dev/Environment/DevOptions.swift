// SPDX-License-Identifier: Apache-2.0

/// What one run is to be.
struct DevOptions: Sendable {
    var purchases: Int
    var seed: UInt64
    var workers: Int
    var kills: Int
    /// Keep everything running afterwards, to look around.
    var stays: Bool
}
