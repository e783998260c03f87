// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// The notifications that the simulated store has sent.
final class NotificationBook: Sendable {
    /// A notification that was sent.
    struct Record: Sendable {
        let notification: SimulatedNotification
        /// Signed once, at the time: a notification doesn't change afterwards.
        let signedPayload: String
        /// Rises from notification to notification.
        let number: Int
        /// Whether it is really sent: then its tries are those that were made.
        let isSent: Bool
        /// The tries that were made.
        var tries: [SimulatedNotification.Attempt] = []

        /// The tries up to a moment.
        func attempts(until now: Date) -> [SimulatedNotification.Attempt] {
            isSent ? tries.filter { $0.date <= now } : notification.attempts(until: now)
        }
    }

    private struct TestRecord {
        let record: Record
        var callsToCome: Int
    }

    private struct State {
        var records: [Record] = []
        var tests: [String: TestRecord] = [:]
        var testResults = ["SUCCESS"]
        var callsBeforeTest = 0
        var numbers = 0
        /// Where the record of a notification is.
        var places: [UUID: Int] = [:]

        mutating func nextNumber() -> Int {
            numbers += 1
            return numbers
        }
    }

    private let state = Mutex(State())

    /// Adds a notification to the history.
    @discardableResult
    func add(_ notification: SimulatedNotification, signedPayload: String, isSent: Bool = false) -> Record {
        state.withLock { state in
            let record = Record(
                notification: notification, signedPayload: signedPayload, number: state.nextNumber(), isSent: isSent)
            state.places[notification.notificationUUID] = state.records.count
            state.records.append(record)
            return record
        }
    }

    /// A try was made to send a notification.
    func note(_ attempt: SimulatedNotification.Attempt, of notification: UUID) {
        state.withLock { state in
            guard let place = state.places[notification] else { return }
            state.records[place].tries.append(attempt)
        }
    }

    /// The notifications about an app in an environment.
    func records(in scope: ServerAPIBook.Scope) -> [Record] {
        state.withLock { state in
            state.records.filter {
                $0.notification.bundleID == scope.bundleID && $0.notification.environment == scope.environment
            }
        }
    }

    /// Sets what comes of the tests that are asked for from now on.
    ///
    /// - Parameter calls: how often their status isn't found before it is.
    func setTests(results: [String], foundAfter calls: Int) {
        state.withLock { state in
            state.testResults = results
            state.callsBeforeTest = calls
        }
    }

    var testResults: [String] {
        state.withLock { $0.testResults }
    }

    /// Adds a test, in the history too.
    ///
    /// - Returns: Apple's token for it, of its form: a UUID, an underscore and milliseconds.
    func addTest(
        _ notification: SimulatedNotification, signedPayload: String, isSent: Bool = false
    ) -> (token: String, record: Record) {
        let token = "\(notification.notificationUUID.uuidString.lowercased())_\(notification.date.milliseconds)"
        let record = add(notification, signedPayload: signedPayload, isSent: isSent)
        state.withLock { $0.tests[token] = TestRecord(record: record, callsToCome: $0.callsBeforeTest) }
        return (token, record)
    }

    /// The test of a token, after a call about it was counted; nil when there is none, or it isn't to be found yet.
    func countCall(aboutTest token: String, in scope: ServerAPIBook.Scope) -> Record? {
        state.withLock { state in
            guard let test = state.tests[token], test.record.notification.bundleID == scope.bundleID,
                test.record.notification.environment == scope.environment
            else { return nil }
            guard test.callsToCome == 0 else {
                state.tests[token]?.callsToCome -= 1
                return nil
            }
            return state.places[test.record.notification.notificationUUID].map { state.records[$0] } ?? test.record
        }
    }
}
