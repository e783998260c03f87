// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL

/// HTTPS to Apple: verified always, without redirects, with one deadline for the whole call and a cap on the answer.
struct AppStoreHTTPClient: Sendable {
    private let client: HTTPClient
    private let maximumResponseBytes: Int

    /// - Throws: when the file of additional roots is missing or holds no certificate.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        guard configuration.connections > 0, configuration.maximumResponseBytes > 0,
            configuration.connectTimeout > .zero
        else {
            throw AppStoreConfigurationError("connections, connect timeout and response size must be above zero")
        }
        var settings = HTTPClient.Configuration()
        settings.tlsConfiguration = try Self.tls(configuration.additionalTLSRoots)
        settings.redirectConfiguration = .disallow
        settings.httpVersion = .automatic
        settings.dnsOverride = configuration.dnsOverride
        settings.timeout.connect = TimeAmount(configuration.connectTimeout)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connections
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        maximumResponseBytes = configuration.maximumResponseBytes
    }

    /// Sends a body of JSON and collects the answer. Ends by `deadline`, whether or not headers or the rest of a body
    /// come, and at once when the task is cancelled.
    func post(_ body: ByteBuffer, to url: String, deadline: ContinuousClock.Instant) async -> HTTPOutcome {
        guard ContinuousClock.now < deadline else { return .failed(.deadline) }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = [
            "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "counterfoil",
        ]
        request.body = .bytes(body)
        return await exchange(request, deadline: deadline)
    }

    /// Closes all connections; calls under way fail. The client can't be used afterwards.
    func shutdown() async throws {
        try await client.shutdown()
    }

    /// Races the call against its deadline: the library's own deadline ends with the answer's headers.
    private func exchange(_ request: HTTPClientRequest, deadline: ContinuousClock.Instant) async -> HTTPOutcome {
        let outcome = await withTaskGroup(of: HTTPOutcome.self) { group in
            group.addTask { await call(request, deadline: deadline) }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                return .failed(.deadline)
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failed(.deadline)
        }
        if case .failed = outcome, Task.isCancelled { return .failed(.cancelled) }
        return outcome
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
            let retryAfter = response.headers.first(name: "Retry-After").flatMap { RetryAfter.delay($0, now: Date()) }
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

    /// The system's roots, and those of a PEM file; certificates and names are always checked.
    private static func tls(_ additionalRoots: String?) throws(AppStoreConfigurationError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        guard let additionalRoots else { return tls }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(additionalRoots), !certificates.isEmpty else {
            throw AppStoreConfigurationError("the file of additional TLS roots \(additionalRoots) holds no certificate")
        }
        tls.additionalTrustRoots = [.certificates(certificates)]
        return tls
    }
}
