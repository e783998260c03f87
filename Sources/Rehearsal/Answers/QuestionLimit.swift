// SPDX-License-Identifier: Apache-2.0

/// How often clients ask about all else beside their orders: what comes beyond it in one second isn't asked.
///
/// Each question costs the server as much as several polls. Where a thousand clients ask at once, their questions would take the
/// processors from what is measured.
struct QuestionLimit: Sendable {
    /// Questions a second. Default 100: many more than a play of two thousand purchases has.
    let aSecond: Int
    private var second: ContinuousClock.Instant?
    private var asked = 0

    init(aSecond: Int = 100) {
        self.aSecond = aSecond
    }

    /// Whether one more question is asked now.
    mutating func admits(at now: ContinuousClock.Instant) -> Bool {
        if second.map({ now >= $0 + .seconds(1) }) ?? true { (second, asked) = (now, 0) }
        asked += 1
        return asked <= aSecond
    }
}
