// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
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

    /// A client that has to be shut down before it is let go.
    init(_ settings: AppStoreHTTPSettings, base: SecureBaseURL, loops: CallEventLoops) {
        var configuration = settings.configuration
        let name = ServerName(base.host)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            name.guardConnection(channel).map { LateRequestHandler.add(to: channel) }
        }
        client = HTTPClient(eventLoopGroupProvider: .shared(loops.group), configuration: configuration)
        self.base = base
        maximumResponseBytes = settings.maximumResponseBytes
        now = settings.now
    }

    /// Sends a request and collects the response. Ends by `deadline`, even when headers or the rest of a body never come,
    /// and at once when the task is cancelled.
    ///
    /// It uses the library's delegates and not its asynchronous calls: their deadline ends with the response's headers, and
    /// a call costs 26 µs of a processor more.
    func send(_ request: HTTPRequest, deadline: ContinuousClock.Instant) async -> HTTPResult {
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { return .failure(.deadline) }
        do {
            let request = try libraryRequest(for: request)
            let exchange = client.execute(
                request: request, delegate: ResponseAccumulator(request: request, maxBodySize: maximumResponseBytes),
                deadline: NIODeadline.now() + TimeAmount(remaining))
            let response = try await withTaskCancellationHandler {
                try await exchange.get()
            } onCancel: {
                exchange.cancel()
            }
            guard !LatestStart.isMarked(response.headers) else { return .failure(.late) }
            return .success(self.response(from: response))
        } catch is ResponseAccumulator.ResponseTooBigError {
            return .failure(.tooLarge)
        } catch {
            return .failure(Task.isCancelled ? .cancelled : Self.httpError(error))
        }
    }

    /// Shows nothing of the library's client: calls under way lie in it with their secrets.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Closes all connections; calls under way fail. The client can't be used afterwards.
    func shutdown() async throws {
        try await client.shutdown()
    }

    private func libraryRequest(for request: HTTPRequest) throws -> HTTPClient.Request {
        var headers: HTTPHeaders = ["Accept": "application/json", "User-Agent": "counterfoil"]
        if let token = request.token { headers.add(name: "Authorization", value: "Bearer " + token.text) }
        if let latestStart = request.latestStart { LatestStart.write(latestStart, to: &headers) }
        if request.body != nil { headers.add(name: "Content-Type", value: "application/json") }
        return try HTTPClient.Request(
            url: base.description + request.target, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers,
            body: request.body.map { .byteBuffer($0) })
    }

    private func response(from response: HTTPClient.Response) -> HTTPResponse {
        HTTPResponse(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { RetryAfter.delay($0, now: now()) },
            body: response.body.map { Data($0.readableBytesView) } ?? Data())
    }

    private static func httpError(_ error: any Error) -> HTTPError {
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
