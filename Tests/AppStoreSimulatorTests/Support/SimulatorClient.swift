// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL

/// Calls a running simulator over HTTPS, as a stranger who was only given its TLS authority.
struct SimulatorClient {
    /// What came back.
    struct Reply {
        var code: UInt
        var headers: HTTPHeaders
        var body: ByteBuffer

        var text: String { String(buffer: body) }

        func decoded<Body: Decodable>(as type: Body.Type = Body.self) throws -> Body {
            try JSONDecoder().decode(type, from: Data(body.readableBytesView))
        }
    }

    let http: HTTPClient
    let simulator: AppStoreSimulator

    /// What a client does otherwise than most.
    struct Options {
        enum Trust { case simulatorAuthority, systemOnly, anyCertificate }

        var trust = Trust.simulatorAuthority
        /// Names that resolve to the loopback.
        var localNames: [String] = []
        var speaksHTTP2 = false
        var connections = 8
    }

    /// A client for `simulator`; it must be shut down in the end.
    init(of simulator: AppStoreSimulator, options: Options = Options()) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        switch options.trust {
        case .simulatorAuthority:
            let pem = Array(simulator.tlsCertificateAuthorityPEM.utf8)
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(pem))]
        case .systemOnly: break
        case .anyCertificate: tls.certificateVerification = .none
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = options.speaksHTTP2 ? .automatic : .http1Only
        configuration.timeout.connect = .seconds(60)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connections
        for name in options.localNames { configuration.dnsOverride[name] = "127.0.0.1" }
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.simulator = simulator
    }

    /// Asks verifyReceipt of an environment's port.
    func verify(
        _ receipt: String,
        password: String? = nil,
        excludingOld: Bool = false,
        in environment: SimulatedEnvironment = .production
    ) async throws -> VerifyReceiptReply {
        try await call("/verifyReceipt", body: Self.body(receipt, password, excludingOld), in: environment).decoded()
    }

    /// Sends a request to an environment's port.
    func call(
        _ path: String,
        method: HTTPMethod = .POST,
        body: String = "",
        token: String? = nil,
        in environment: SimulatedEnvironment = .production
    ) async throws -> Reply {
        let port = environment == .production ? simulator.productionPort : simulator.sandboxPort
        return try await call(method, "https://localhost:\(port)\(path)", body: body, token: token)
    }

    /// Sends a request to any URL.
    func call(_ method: HTTPMethod, _ url: String, body: String = "", token: String? = nil) async throws -> Reply {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer " + token) }
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await http.execute(request, timeout: .seconds(30))
        let collected = try await response.body.collect(upTo: 64 * 1024 * 1024)
        return Reply(code: response.status.code, headers: response.headers, body: collected)
    }

    static func body(_ receipt: String, _ password: String? = nil, _ excludingOld: Bool = false) -> String {
        let secret = password.map { #", "password": "\#($0)""# } ?? ""
        let exclusion = excludingOld ? #", "exclude-old-transactions": true"# : ""
        return #"{"receipt-data": "\#(receipt)"\#(secret)\#(exclusion)}"#
    }
}

/// Runs a simulator with a client for the time of a test.
@discardableResult
func withSimulator<Result>(
    configuration: SimulatorConfiguration = SimulatorConfiguration(),
    client options: SimulatorClient.Options = SimulatorClient.Options(),
    _ body: (AppStoreSimulator, SimulatorClient) async throws -> Result
) async throws -> Result {
    try await AppStoreSimulator.withRunning(configuration: configuration) { simulator in
        let client = try SimulatorClient(of: simulator, options: options)
        do {
            let result = try await body(simulator, client)
            try await client.http.shutdown()
            return result
        } catch {
            try await client.http.shutdown()
            throw error
        }
    }
}
