// SPDX-License-Identifier: Apache-2.0

/// Lets a few tests at a time have a database, in the order in which they came: the server has so many connections, and the
/// machine so many cores.
actor DatabaseTurns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    /// Waits for a turn; each needs an ``end()``.
    func begin() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Gives the turn to the next.
    func end() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
