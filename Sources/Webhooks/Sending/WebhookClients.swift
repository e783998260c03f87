// SPDX-License-Identifier: Apache-2.0

import AppStore
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import Postgres
import Synchronization

/// Connections to endpoints: each goes to the address that was looked up and checked, and to no other.
final class WebhookClients: Sendable {
    /// Why an endpoint can't be called. A phrase that tells nothing of its path.
    struct Refusal: Error, Equatable {
        let text: String
    }

    private struct Entry {
        let url: String
        let address: String
        let client: HTTPClient
        let lookedUp: ContinuousClock.Instant
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Their calls go on for a while.
        var retired: [(client: HTTPClient, since: ContinuousClock.Instant)] = []
        /// By endpoint, connections that failed in a row: each takes the next address of several.
        var connectFailures: [String: Int] = [:]
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let rules: AddressRules
    private let configuration: WebhookConfiguration
    private let tls: TLSConfiguration
    private let resolver = HostResolver()

    /// - Throws: when the file of additional roots can't be used.
    init(_ configuration: WebhookConfiguration) throws(AppStoreConfigurationError) {
        self.configuration = configuration
        rules = AddressRules(allowed: configuration.privateNetworks)
        tls = try AppStoreHTTPSettings.tls(configuration.additionalTLSRoots)
    }

    /// Nothing can be called any more.
    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// The connections of an endpoint.
    ///
    /// - Throws: ``Refusal``.
    func client(of endpoint: String, at url: WebhookURL) async throws -> HTTPClient {
        let now = ContinuousClock.now
        let (known, failures) = state.withLock { ($0.entries[endpoint], $0.connectFailures[endpoint] ?? 0) }
        if let known, known.url == url.text, known.lookedUp.duration(to: now) < configuration.addressLifetime {
            return known.client
        }
        let addresses = try await addresses(of: url.host)
        let address = addresses[failures % addresses.count]
        return try state.withLock { state in
            guard !state.isShutDown else { throw Refusal(text: "the worker stops") }
            let current = state.entries[endpoint]
            let isSame = current.map { $0.url == url.text && $0.address == address } ?? false
            let client = isSame ? current!.client : makeClient(of: url, at: address)
            if let current, !isSame { state.retired.append((current.client, now)) }
            state.entries[endpoint] = Entry(url: url.text, address: address, client: client, lookedUp: now)
            return client
        }
    }

    /// No connection came about: the next call looks the name up again, and takes the next address.
    func connectFailed(to endpoint: String) {
        state.withLock { state in
            state.connectFailures[endpoint, default: 0] += 1
            if let entry = state.entries.removeValue(forKey: endpoint) { state.retired.append((entry.client, .now)) }
        }
    }

    /// Ends connections that nothing uses any more.
    func tidy() async {
        let over = state.withLock { state in
            let isOver = { (since: ContinuousClock.Instant) in since.duration(to: .now) > self.configuration.callTimeout * 2 }
            defer { state.retired.removeAll { isOver($0.since) } }
            return state.retired.filter { isOver($0.since) }.map(\.client)
        }
        for client in over { try? await client.shutdown() }
    }

    /// Ends all connections; calls under way fail.
    func shutDown() async {
        let all = state.withLock { state in
            defer { (state.entries, state.retired, state.isShutDown) = ([:], [], true) }
            return state.entries.values.map(\.client) + state.retired.map(\.client)
        }
        for client in all { try? await client.shutdown() }
    }

    /// All numeric addresses of a host; none where one of them may not be called.
    private func addresses(of host: String) async throws -> [String] {
        let found: [String]
        do {
            found = try await resolver.addresses(of: host, until: .now + configuration.connectTimeout)
        } catch {
            throw Refusal(text: "the host \(host) has no address")
        }
        guard !found.isEmpty else { throw Refusal(text: "the host \(host) has no address") }
        // A name that leads to both is somebody's try.
        if let refused = found.first(where: { !rules.permit($0) }) {
            throw Refusal(text: "the host \(host) has the address \(refused), which isn't public")
        }
        return found
    }

    private func makeClient(of url: WebhookURL, at address: String) -> HTTPClient {
        var settings = HTTPClient.Configuration()
        settings.tlsConfiguration = tls
        settings.redirectConfiguration = .disallow
        // A call that is given up takes its connection along.
        settings.httpVersion = .http1Only
        // The name goes to that address, whatever a look-up says later.
        if url.host != address { settings.dnsOverride = [url.host: address] }
        settings.tracing.tracer = nil
        settings.timeout.connect = TimeAmount(configuration.connectTimeout)
        // The database bounds the calls at once; they never wait for each other here.
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.inFlight
        let name = ServerName(url.host)
        settings.http1_1ConnectionDebugInitializer = { channel in name.guardConnection(channel) }
        return HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: settings)
    }
}
