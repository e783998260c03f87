// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import Logging
import NIOSSL
import Testing

@testable import AppStore

@Suite
struct AppStoreConfigurationTests {
    @Test(arguments: [
        "http://buy.itunes.apple.com", "ftp://buy.itunes.apple.com", "buy.itunes.apple.com", "https://", "",
        "https:///x",
        "https://user@buy.itunes.apple.com", "https://a:b@buy.itunes.apple.com", "https://buy.itunes.apple.com/path",
        "https://buy.itunes.apple.com?x=1", "https://buy.itunes.apple.com#x", "https://buy.itunes.apple.com:0",
        "https://buy.itunes.apple.com:65536", "https://buy itunes.apple.com", "//buy.itunes.apple.com",
    ])
    func addressOtherThanHTTPSAndAHostIsRefused(address: String) {
        for path in [
            \AppStoreConfiguration.productionReceiptURL, \.sandboxReceiptURL, \.productionAPIURL, \.sandboxAPIURL,
        ] {
            var configuration = AppStoreConfiguration()
            configuration[keyPath: path] = address

            #expect(throws: AppStoreConfigurationError.self) {
                try AppStoreVerifier(configuration, logger: Logger(label: "test"))
            }
        }
    }

    @Test(arguments: [
        "https://localhost", "HTTPS://localhost:8443", "https://127.0.0.1:443/", "https://sandbox.itunes.apple.com",
    ])
    func httpsAndAHostIsTaken(address: String) throws {
        #expect(throws: Never.self) { try SecureBaseURL(address) }
        #expect(try SecureBaseURL(address).description.hasPrefix("https://"))
        #expect(try !SecureBaseURL(address).description.hasSuffix("/"))
    }

    @Test
    func fileOfRootsMustHoldACertificate() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "empty.pem")
        for name in ["missing.pem", "empty.pem"] {
            var configuration = AppStoreConfiguration()
            configuration.additionalTLSRoots = folder.path(name)

            let error = #expect(throws: AppStoreConfigurationError.self) {
                try AppStoreVerifier(configuration, logger: Logger(label: "test"))
            }

            #expect(error?.description.contains(name) == true)
        }
    }

    @Test
    func systemsRootsAreReadOnceForAllConnections() throws {
        let file = AppStoreHTTPSettings.systemRoots
        let marks = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
            .split(separator: "BEGIN CERTIFICATE").count - 1

        let tls = try AppStoreHTTPSettings.tls(nil)

        #expect(marks > 0)
        guard case .certificates(let roots) = tls.trustRoots else {
            Issue.record("each connection reads the roots itself")
            return
        }
        #expect(roots.count == marks)
    }

    @Test
    func withoutASystemsFileTheRootsAreTheLibrarysDefault() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "empty.pem")
        for name in ["missing.pem", "empty.pem"] {
            let tls = try AppStoreHTTPSettings.tls(nil, systemRoots: folder.path(name))

            #expect(tls.trustRoots == .default)
            #expect(tls.certificateVerification == .fullVerification)
        }
    }

    /// The address of a call, which names a transaction, goes to no collector of spans.
    @Test
    func callsHaveNoTracer() throws {
        let settings = try AppStoreHTTPSettings(AppStoreConfiguration())

        #expect(settings.configuration.tracing.tracer == nil)
    }

    @Test
    func countsMustBeAboveZero() {
        var none = AppStoreConfiguration()
        none.connections = 0
        var empty = AppStoreConfiguration()
        empty.maximumResponseBytes = 0
        var hasty = AppStoreConfiguration()
        hasty.connectTimeout = .zero

        for configuration in [none, empty, hasty] {
            #expect(throws: AppStoreConfigurationError.self) {
                try AppStoreVerifier(configuration, logger: Logger(label: "test"))
            }
        }
    }
}
