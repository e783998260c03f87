// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import VerificationQueue

/// A claimed event: what to send, where, and the right to settle it.
struct WebhookEvent: Sendable {
    /// The columns of `call_take_webhooks.sql`.
    enum Column: Int, RowColumn { case endpoint, name, url, eventID, leaseToken, tries, body, beganAnew }

    let endpoint: Int32
    let name: String
    let url: String
    let id: String
    let leaseToken: Int32
    /// Those that failed.
    let tries: Int32
    let body: String
}

/// What a worker does in the database about webhooks.
struct WebhookStore: Sendable {
    /// The columns of `find_webhook_names.sql`.
    enum NameColumn: Int, RowColumn { case name, isUnserved }
    /// The columns of `measure_webhooks.sql`.
    enum MeasureColumn: Int, RowColumn {
        case endpointsOn, endpointsStopped, endpointsSwitchedOff, endpointsLost, waiting, givenUp, lag
    }

    private static let timeout = Duration.seconds(10)

    let pool: PostgresPool

    func names() async throws -> [(name: String, isUnserved: Bool)] {
        try await pool.execute(SQLFile.findWebhookNames.statement, [], timeout: Self.timeout).map { row in
            let columns = row.named(by: NameColumn.self)
            return (try columns.string(.name), try columns.bool(.isUnserved))
        }
    }

    /// Reads the feed for endpoints, and claims what to send.
    ///
    /// - Returns: also the endpoints that began anew.
    func take(_ names: [String], atMost limit: Int, lease: Duration) async throws -> (events: [WebhookEvent], anew: Set<String>) {
        let rows = try await pool.execute(
            SQLFile.callTakeWebhooks.statement,
            [.textArray(names), .int4(Int32(clamping: limit)), .double(lease / .seconds(1))], timeout: Self.timeout)
        var events: [WebhookEvent] = []
        var anew: Set<String> = []
        for row in rows {
            let columns = row.named(by: WebhookEvent.Column.self)
            let name = try columns.string(.name)
            if try columns.bool(.beganAnew) { anew.insert(name) }
            guard let id = try columns.optionalString(.eventID) else { continue }
            events.append(
                WebhookEvent(
                    endpoint: try columns.int32(.endpoint), name: name, url: try columns.string(.url), id: id,
                    leaseToken: try columns.int32(.leaseToken), tries: try columns.int32(.tries), body: try columns.string(.body)))
        }
        return (events, anew)
    }

    /// - Returns: what became of the event: handled, waits, given_up, off or lost.
    func settle(_ event: WebhookEvent, _ result: WebhookResult, chance: Double) async throws -> String {
        let retry = WebhookRetry(after: Int(event.tries) + 1, chance: chance)
        return try await pool.execute(
            SQLFile.callSettleWebhook.statement,
            [
                .int4(event.endpoint), .text(event.id), .int4(event.leaseToken), .text(result.name), .text(result.error),
                .double(retry.delay / .seconds(1)), .bool(retry.isLast), .double(result.pause / .seconds(1)),
            ], timeout: Self.timeout)[0].string(0)
    }

    func note(_ fault: String, of endpoint: String) async throws {
        _ = try await pool.execute(
            SQLFile.noteWebhookFault.statement, [.text(endpoint), .text(fault)], timeout: Self.timeout)
    }

    func measure() async throws -> WebhookReading {
        let columns = try await pool.execute(SQLFile.measureWebhooks.statement, [], timeout: Self.timeout)[0].named(
            by: MeasureColumn.self)
        return WebhookReading(
            endpoints: [
                .on: try columns.int64(.endpointsOn), .stopped: try columns.int64(.endpointsStopped),
                .switchedOff: try columns.int64(.endpointsSwitchedOff), .lost: try columns.int64(.endpointsLost),
            ],
            waiting: try columns.int64(.waiting), givenUp: try columns.int64(.givenUp), lag: try columns.double(.lag))
    }
}

/// The endpoints in numbers.
struct WebhookReading: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable {
        case on, stopped
        case switchedOff = "switched_off"
        /// Off, and nobody switched it off.
        case lost
    }

    let endpoints: [State: Int64]
    let waiting: Int64
    let givenUp: Int64
    let lag: Double
}
