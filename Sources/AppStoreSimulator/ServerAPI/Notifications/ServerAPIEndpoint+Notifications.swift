// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The endpoints about notifications.
extension ServerAPIEndpoint {
    /// Sorted by the first try.
    func notificationHistory(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let request = try NotificationHistoryRequest(call.body, in: context.scope.environment, at: context.now)
        let entries = desk.notifications.records(in: context.scope)
            .filter { request.lets($0.notification, attempts: $0.attempts(until: context.now)) }
            .map { HistoryEntry(record: $0, place: [$0.notification.date.milliseconds, Int64($0.number)]) }
        let page = try HistorySlice(
            of: entries, behind: call.value(of: "paginationToken"),
            request: [call.endpoint.rawValue, context.scope.bundleID] + request.request,
            generation: book.positionGeneration, else: .invalidPaginationToken)
        return Answer(status: nil) { json in
            json.key("notificationHistory")
            json.objects(page.records) { $0.addNotification($1, at: context.now) }
            json.field("hasMore", page.hasMore)
            json.field("paginationToken", page.position)
        }
    }

    func requestTestNotification(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        guard let url = context.app.notificationURL else { throw .noNotificationURL }
        guard let token = try? desk.sendTest(to: url, in: context.scope, at: context.now) else {
            throw ServerAPIRefusal(code: 5_000_000)
        }
        return Answer(status: nil) { $0.field("testNotificationToken", token) }
    }

    func testNotificationStatus(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let parts = call.subject.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, Int64(parts[1]) != nil else {
            throw .invalidTestToken
        }
        guard let record = desk.notifications.countCall(aboutTest: call.subject, in: context.scope) else {
            throw .testNotFound
        }
        return Answer(status: nil) { $0.addNotification(record, at: context.now) }
    }
}

extension JSONWriter {
    /// The fields of a notification that was sent.
    fileprivate mutating func addNotification(_ record: NotificationBook.Record, at now: Date) {
        field("signedPayload", record.signedPayload)
        key("sendAttempts")
        objects(record.attempts(until: now)) { json, attempt in
            json.field("attemptDate", attempt.date.milliseconds)
            json.field("sendAttemptResult", attempt.result)
        }
    }
}
