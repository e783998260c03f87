// SPDX-License-Identifier: Apache-2.0

/// The password of one run's server, for drivers that connect over TCP: made at the start, and printed for the developer only.
struct DevPassword: Sendable {
    private static let characters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")

    /// Letters and digits, which stand in a URL as they are: 93 bits.
    let text: String

    init() {
        text = String((0..<16).map { _ in Self.characters[Int.random(in: Self.characters.indices)] })
    }
}
