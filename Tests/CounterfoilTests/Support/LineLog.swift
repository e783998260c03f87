// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lines that a process wrote so far; a test waits for the one that it needs.
final class LineLog: Sendable {
    private struct Waiter {
        let id: Int
        let text: String
        let count: Int
        let continuation: CheckedContinuation<String?, Never>
    }

    private struct State {
        var lines: [String] = []
        var hasEnded = false
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }

    func append(_ line: String) {
        let answered = state.withLock { state in
            state.lines.append(line)
            return Self.takeAnswered(&state)
        }
        for (waiter, line) in answered {
            waiter.continuation.resume(returning: line)
        }
    }

    /// No line comes any more.
    func end() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.continuation.resume(returning: nil)
        }
    }

    /// Waits for the line that is the `count`th to contain `text`.
    ///
    /// - Throws: ``Missing`` when the process ended before, or the test was cancelled.
    @discardableResult
    func line(containing text: String, count: Int = 1) async throws -> String {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let line = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: String?? = state.withLock { state in
                    let found = state.lines.filter { $0.contains(text) }
                    if found.count >= count { return .some(found[count - 1]) }
                    if state.hasEnded || Task.isCancelled { return .some(nil) }
                    state.waiters.append(Waiter(id: id, text: text, count: count, continuation: continuation))
                    return nil
                }
                if let answer {
                    continuation.resume(returning: answer)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: nil)
        }
        guard let line else { throw Missing(text: text, lines: lines) }
        return line
    }

    struct Missing: Error, CustomStringConvertible {
        let text: String
        let lines: [String]

        var description: String { "no line contains \"\(text)\":\n" + lines.joined(separator: "\n") }
    }

    private static func takeAnswered(_ state: inout State) -> [(Waiter, String)] {
        var answered: [(Waiter, String)] = []
        state.waiters.removeAll { waiter in
            let found = state.lines.filter { $0.contains(waiter.text) }
            guard found.count >= waiter.count else { return false }
            answered.append((waiter, found[waiter.count - 1]))
            return true
        }
        return answered
    }
}
