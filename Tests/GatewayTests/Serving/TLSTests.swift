// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import EventSources
import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import Gateway

/// Listeners with a certificate of their own.
@Suite struct TLSTests {
    /// A pair of files that can be replaced.
    private struct Pair: Sendable {
        let folder: URL
        var files: TLSFiles { TLSFiles(certificate: folder.path + "/chain.pem", key: folder.path + "/key.pem") }

        func write(certificate: String? = nil, key: String? = nil) throws {
            if let certificate { try Data(certificate.utf8).write(to: URL(filePath: files.certificate)) }
            if let key { try Data(key.utf8).write(to: URL(filePath: files.key)) }
        }

        static func with(_ identity: TransportIdentity, _ body: @Sendable (Pair) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let pair = Pair(folder: folder)
            try pair.write(certificate: identity.certificatePEM, key: identity.keyPEM)
            try await body(pair)
        }
    }

    /// A client that trusts one authority, and keeps no connection.
    private func withClient<Success: Sendable>(
        trusting identity: TransportIdentity, _ body: (HTTPClient) async throws -> Success
    ) async throws -> Success {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(identity.authorityPEM.utf8)))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: tls))
        return try await endingLast({ try? await client.shutdown() }, { try await body(client) })
    }

    private func isTrusted(_ host: GatewayHost, by identity: TransportIdentity) async throws -> Bool {
        try await withClient(trusting: identity) { client in
            do {
                return try await host.call("GET", "/livez", key: .some(nil), by: client).status == 200
            } catch {
                return false
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func bothListenersAnswerWhoTrustsThem() async throws {
        let identity = try TransportIdentity(now: Date())
        try await Pair.with(identity) { pair in
            try await GatewayHost.with(shop: .network(host: "0.0.0.0", port: 0), tls: pair.files) { host in
                try await withClient(trusting: identity) { client in
                    let made = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order(), by: client)
                    let unreadable = try await host.call(
                        "POST", "/v1/apple/notifications", json: "{}", account: nil, key: .some(nil), at: .apple, by: client)

                    #expect(made.status == 201)
                    #expect(unreadable.problem == "notification_unreadable")
                }
                #expect(try await host.value("select exposed_at is null from counterfoil.gateway_keys") == "true")
                #expect(host.gateway.snapshot().certificateEnds[.apple] ?? 0 > Int(Date().timeIntervalSince1970))
            }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [Route.Audience.shop, .apple])
    func whoSpeaksInClearIsRefusedByName(audience: Route.Audience) async throws {
        let identity = try TransportIdentity(now: Date())
        try await Pair.with(identity) { pair in
            try await GatewayHost.with(tls: pair.files) { host in
                let target = audience == .shop ? "/v1/orders" : "/v1/apple/notifications"

                let reply = try await host.call("POST", target, json: "{}", at: audience)

                #expect(reply.status == 403)
                #expect(reply.problem == "tls_required")
                try await eventually("the key is marked") {
                    try await host.value("select exposed_at is not null from counterfoil.gateway_keys") == "true"
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func newConnectionsHaveTheNewestGoodPair() async throws {
        let (old, new) = (try TransportIdentity(now: Date()), try TransportIdentity(now: Date()))
        try await Pair.with(old) { pair in
            try await GatewayHost.with(tls: pair.files) { host in
                #expect(try await isTrusted(host, by: old))
                // A connection that stands isn't disturbed.
                try await withClient(trusting: old) { client in
                    #expect(try await host.call("GET", "/v1/orders", by: client).status == 200)

                    try pair.write(certificate: new.certificatePEM)
                    host.gateway.reload()
                    #expect(try await isTrusted(host, by: old))
                    try pair.write(key: new.keyPEM)
                    host.gateway.reload()

                    #expect(try await host.call("GET", "/v1/orders", by: client).status == 200)
                }
                #expect(try await isTrusted(host, by: new))
                #expect(try await !isTrusted(host, by: old))
            }
        }
    }

    @Test(
        arguments: [
            ("", nil, TLSFault.Name.certificateUnreadable), ("garbage", nil, .certificateUnreadable), (nil, "", .keyUnreadable),
            (nil, "garbage", .keyUnreadable),
        ] as [(String?, String?, TLSFault.Name)])
    func aPairThatIsNotGoodIsNamed(certificate: String?, key: String?, name: TLSFault.Name) async throws {
        try await Pair.with(TransportIdentity(now: Date())) { pair in
            let identity = try TLSIdentity(pair.files)
            let end = identity.notAfter
            try pair.write(certificate: certificate, key: key)

            let fault = #expect(throws: TLSFault.self) { try identity.reload() }

            #expect(fault?.name == name)
            #expect(fault?.file == (name == .keyUnreadable ? pair.files.key : pair.files.certificate))
            #expect(identity.notAfter == end)
            #expect(throws: TLSFault.self) { try TLSIdentity(pair.files) }
        }
    }

    @Test func aKeyOfAnotherCertificateIsNamed() async throws {
        let other = try TransportIdentity(now: Date())
        try await Pair.with(TransportIdentity(now: Date())) { pair in
            let identity = try TLSIdentity(pair.files)
            try pair.write(key: other.keyPEM)

            let fault = #expect(throws: TLSFault.self) { try identity.reload() }

            #expect(fault?.name == .keyOfAnotherCertificate)
            try FileManager.default.removeItem(atPath: pair.files.certificate)
            #expect(#expect(throws: TLSFault.self) { try identity.reload() }?.name == .certificateUnreadable)
        }
    }

    /// A handshake is a part of the first header's time. The answer that can't be written then has its own.
    @Test(.timeLimit(.minutes(2)))
    func aHandshakeThatNeverEndsIsEnded() async throws {
        var deadlines = ConnectionDeadlines()
        deadlines.header = .milliseconds(500)
        deadlines.write = .milliseconds(500)
        try await Pair.with(TransportIdentity(now: Date())) { [deadlines] pair in
            try await GatewayHost.with(deadlines: deadlines, tls: pair.files) { host in
                for start in [[], [22], [22, 3, 1, 2, 0, 1]] as [[UInt8]] {
                    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: host.port()).get()
                    try await channel.writeAndFlush(ByteBuffer(bytes: start))

                    try await before(.now + .seconds(20), waitingFor: "the other side's end") {
                        try await channel.closeFuture.get()
                    }
                }
            }
        }
    }
}
