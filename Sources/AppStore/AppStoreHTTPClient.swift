// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import EventSources
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL

/// HTTPS to one of Apple's hosts: verified always, without redirects, with one deadline for the whole call and a cap on
/// the answer.
struct AppStoreHTTPClient: Sendable, CustomReflectable {
    private let client: HTTPClient
    private let base: SecureBaseURL
    private let maximumResponseBytes: Int
    private let now: @Sendable () -> Date
    private let deadlines = AlarmClock()

    /// A client that has to be shut down before it is let go.
    init(_ settings: AppStoreHTTPSettings, base: SecureBaseURL) {
        var configuration = settings.configuration
        let name = ServerName(base.host)
        configuration.http1_1ConnectionDebugInitializer = { name.guardConnection($0) }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.base = base
        maximumResponseBytes = settings.maximumResponseBytes
        now = settings.now
    }

    /// Sends a call and collects the answer. Ends by `deadline`, whether or not headers or the rest of a body come, and
    /// at once when the task is cancelled.
    func send(_ call: HTTPCall, deadline: ContinuousClock.Instant) async -> HTTPOutcome {
        guard ContinuousClock.now < deadline else { return .failed(.deadline) }
        var request = HTTPClientRequest(url: base.description + call.target)
        request.method = HTTPMethod(rawValue: call.method.rawValue)
        request.headers = ["Accept": "application/json", "User-Agent": "counterfoil"]
        if let token = call.token { request.headers.add(name: "Authorization", value: "Bearer " + token.text) }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        return await exchange(request, deadline: deadline)
    }

    /// Shows nothing of the library's client: calls under way lie in it with their secrets.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Closes all connections; calls under way fail. The client can't be used afterwards.
    func shutdown() async throws {
        try await client.shutdown()
    }

    /// Cancels the call at its deadline: the library's own deadline ends with the answer's headers.
    ///
    /// The call is made on a thread of the client's own, where everything that it waits for happens too.
    private func exchange(_ request: HTTPClientRequest, deadline: ContinuousClock.Instant) async -> HTTPOutcome {
        let exchange = Task(executorPreference: EventLoopExecutor.nearest()) { await call(request, deadline: deadline) }
        let alarm = deadlines.set(at: deadline) { exchange.cancel() }
        let outcome = await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }
        deadlines.turnOff(alarm)
        guard case .failed(let fault) = outcome else { return outcome }
        if Task.isCancelled { return .failed(.cancelled) }
        return .failed(fault == .cancelled ? .deadline : fault)
    }

    private func call(_ request: HTTPClientRequest, deadline: ContinuousClock.Instant) async -> HTTPOutcome {
        do {
            let limit = NIODeadline.now() + TimeAmount(ContinuousClock.now.duration(to: deadline))
            let response = try await client.execute(request, deadline: limit)
            let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            guard announced <= maximumResponseBytes else { return .tooLarge }
            var body = Data()
            for try await part in response.body {
                guard body.count + part.readableBytes <= maximumResponseBytes else { return .tooLarge }
                body.append(contentsOf: part.readableBytesView)
            }
            let retryAfter = response.headers.first(name: "Retry-After").flatMap { RetryAfter.delay($0, now: now()) }
            return .answered(HTTPAnswer(status: Int(response.status.code), retryAfter: retryAfter, body: body))
        } catch {
            return .failed(Self.fault(error))
        }
    }

    private static func fault(_ error: any Error) -> HTTPFault {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded: .deadline
            case .connectTimeout, .getConnectionFromPoolTimeout: .connect
            case .tlsHandshakeTimeout: .tls
            case .cancelled: .cancelled
            default: .broken
            }
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .tls
        case is CancellationError: .cancelled
        default: .broken
        }
    }
}
