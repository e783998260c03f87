// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceLifecycle

/// Sends notifications to the addresses of their apps, as Apple does: once, and in production up to five times more, until one is
/// answered with 200 to 206. Source: appstoreservernotifications/responding-to-app-store-server-notifications.
///
/// It calls the loopback only. What came of a notification for another address is what its maker says.
final class NotificationPost: Service {
    /// How long Apple waits for an answer, as far as is known: a time-out.
    private static let patience = TimeAmount.seconds(30)

    private let book: NotificationBook
    private let group: any EventLoopGroup
    private let trustRoot: String
    private let hour: Duration
    private let now: @Sendable () -> Date
    private let (letters, slot) = AsyncStream.makeStream(of: Letter.self)

    private struct Letter: Sendable {
        let record: NotificationBook.Record
        let url: String
    }

    /// - Parameters:
    ///   - trustRoot: the authority, as PEM, of who takes notifications.
    ///   - hour: how long an hour between two tries lasts.
    init(
        book: NotificationBook, group: any EventLoopGroup, trustRoot: String, hour: Duration, now: @escaping @Sendable () -> Date
    ) {
        self.book = book
        self.group = group
        self.trustRoot = trustRoot
        self.hour = hour
        self.now = now
    }

    /// Whether notifications for an address are really sent.
    static func reaches(_ url: String?) -> Bool {
        guard let host = url.flatMap({ URL(string: $0) })?.host else { return false }
        return ["localhost", "127.0.0.1"].contains(host)
    }

    /// Sends a notification, now and as often as it takes. Returns at once.
    func send(_ record: NotificationBook.Record, to url: String) {
        slot.yield(Letter(record: record, url: url))
    }

    func run() async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(trustRoot.utf8)))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 8
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        await withDiscardingTaskGroup { tries in
            for await letter in letters.cancelOnGracefulShutdown() {
                tries.addTask { await self.deliver(letter, by: client) }
            }
            tries.cancelAll()
        }
        try await client.shutdown()
    }

    private func deliver(_ letter: Letter, by client: HTTPClient) async {
        let notification = letter.record.notification
        let pauses = notification.environment == .production ? SimulatedNotification.retryHours : []
        for number in 0...pauses.count {
            if number > 0 {
                do { try await Task.sleep(for: hour * pauses[number - 1]) } catch { return }
            }
            let date = now()
            let result = await result(of: letter, by: client)
            guard !Task.isCancelled else { return }
            book.note(SimulatedNotification.Attempt(date: date, result: result), of: notification.notificationUUID)
            if result == "SUCCESS" { return }
        }
    }

    /// In Apple's words.
    private func result(of letter: Letter, by client: HTTPClient) async -> String {
        var request = HTTPClientRequest(url: letter.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"signedPayload":"\#(letter.record.signedPayload)"}"#))
        do {
            let response = try await client.execute(request, timeout: Self.patience)
            return (200...206).contains(response.status.code) ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return "TIMED_OUT"
        } catch is NIOSSLError {
            return "TLS_ISSUE"
        } catch {
            return "SOCKET_ISSUE"
        }
    }
}
