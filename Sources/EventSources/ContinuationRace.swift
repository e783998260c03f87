// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A continuation that several events may resume: the first wins, the others do nothing.
///
/// An event may even come before the continuation is there (a task that was cancelled already).
package final class ContinuationRace<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case finishedEarly(Value)
        case finished
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Takes the continuation that is to be resumed; to be called once.
    package func install(_ continuation: CheckedContinuation<Value, Never>) {
        let value: Value? = state.withLock { state in
            switch state {
            case .open:
                state = .waiting(continuation)
                return nil
            case .finishedEarly(let value):
                state = .finished
                return value
            case .waiting, .finished:
                fatalError("a race has one continuation")
            }
        }
        if let value {
            continuation.resume(returning: value)
        }
    }

    /// Resumes the continuation with `value`, unless another event came first.
    ///
    /// - Returns: whether this was the first.
    @discardableResult
    package func finish(with value: Value) -> Bool {
        let (isFirst, continuation): (Bool, CheckedContinuation<Value, Never>?) = state.withLock { state in
            switch state {
            case .open:
                state = .finishedEarly(value)
                return (true, nil)
            case .waiting(let continuation):
                state = .finished
                return (true, continuation)
            case .finishedEarly, .finished:
                return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }
}
