// SPDX-License-Identifier: Apache-2.0

import AppStore
import AsyncHTTPClient
import Crypto
import EventSources
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import VerificationQueue

/// The floor of a call to the App Store Server API: the HTTP client, and one check of an ES256 signature an answer.
struct BareCalls {
    private let plan: BareCallsPlan
    private let token: String
    private let signatures: BareSignatures

    init(_ plan: BareCallsPlan) throws {
        self.plan = plan
        token = try Self.token(keyFile: plan.folder + "/default.server-api-key", bundleID: plan.bundleID)
        signatures = try BareSignatures(different: 1000)
    }

    func run() async throws -> BareCallsReport {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.file(plan.folder + "/roots.pem")]
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = plan.callsAtOnce
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let before = ProcessUsage.ofSelf.cpuSeconds
        let start = ContinuousClock.now
        return try await endingLast { try? await client.shutdown() } _: {
            try await makeCalls(client)
            return BareCallsReport(
                calls: plan.calls, seconds: start.duration(to: .now).seconds,
                cpuSeconds: ProcessUsage.ofSelf.cpuSeconds - before)
        }
    }

    private func makeCalls(_ client: HTTPClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<plan.callsAtOnce {
                group.addTask {
                    for number in stride(from: first, to: plan.calls, by: plan.callsAtOnce) {
                        try await call(number, client)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func call(_ number: Int, _ client: HTTPClient) async throws {
        let id = plan.firstID + Int64(number)
        var request = HTTPClientRequest(url: "https://localhost:\(plan.port)/inApps/v1/transactions/\(id)")
        request.headers.add(name: "Authorization", value: "Bearer " + token)
        let response = try await client.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        guard response.status == .ok, body.readableBytes > 0 else {
            throw BenchError("a bare call was answered with status \(response.status.code)")
        }
        try signatures.checkP256(number)
    }

    /// As the App Store asks for it:
    /// https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests
    private static func token(keyFile: String, bundleID: String) throws -> String {
        struct Key: Decodable {
            let issuer_id: String
            let key_id: String
            let private_key: String
        }
        struct Header: Encodable {
            let alg = "ES256"
            let kid: String
            let typ = "JWT"
        }
        struct Claims: Encodable {
            let iss: String
            let iat: Int64
            let exp: Int64
            let aud = "appstoreconnect-v1"
            let bid: String
        }
        let key = try JSONDecoder().decode(Key.self, from: try Data(contentsOf: URL(fileURLWithPath: keyFile)))
        let now = Int64(Date().timeIntervalSince1970)
        let header = try JSONEncoder().encode(Header(kid: key.key_id))
        let claims = try JSONEncoder().encode(Claims(iss: key.issuer_id, iat: now, exp: now + 1200, bid: bundleID))
        let signed = Base64.encode(header, as: .url) + "." + Base64.encode(claims, as: .url)
        let signature = try P256.Signing.PrivateKey(pemRepresentation: key.private_key).signature(for: Data(signed.utf8))
        return signed + "." + Base64.encode(signature.rawRepresentation, as: .url)
    }
}
