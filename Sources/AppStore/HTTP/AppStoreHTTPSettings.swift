// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import NIOCore
package import NIOSSL

/// What all clients of Apple's hosts have in common, checked.
package struct AppStoreHTTPSettings {
    let configuration: HTTPClient.Configuration
    let maximumResponseBytes: Int
    let now: @Sendable () -> Date

    /// - Throws: for a count or time that isn't above zero, and when the file of additional roots holds no certificate.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        guard configuration.connections > 0, configuration.maximumResponseBytes > 0,
            configuration.connectTimeout > .zero
        else {
            throw AppStoreConfigurationError("connections, connect timeout and response size must be above zero")
        }
        var settings = HTTPClient.Configuration()
        settings.tlsConfiguration = try Self.tls(configuration.additionalTLSRoots)
        settings.redirectConfiguration = .disallow
        // A call that is given up takes its connection along. One of HTTP/2, dead and shared by all calls, would go on failing
        // them until the kernel gives it up, a quarter of an hour later.
        settings.httpVersion = .http1Only
        settings.dnsOverride = configuration.dnsOverride
        // Nobody collects spans here; the default tracer, which drops them, costs a call 3 µs of a processor.
        settings.tracing.tracer = nil
        settings.timeout.connect = TimeAmount(configuration.connectTimeout)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connections
        self.configuration = settings
        maximumResponseBytes = configuration.maximumResponseBytes
        now = configuration.now
    }

    /// Where Debian keeps the roots that it trusts, all in one file.
    package static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    /// The system's roots, and those of a PEM file; certificates and names are always checked.
    package static func tls(
        _ additionalRoots: String?, systemRoots: String = systemRoots
    ) throws(AppStoreConfigurationError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        // Read once. The library would read the same file for each connection that is begun before the first one stands: 0.4 MB and
        // 2 ms of a processor for each of a worker's first calls. Without that file the library knows where else to look.
        if let roots = try? NIOSSLCertificate.fromPEMFile(systemRoots), !roots.isEmpty {
            tls.trustRoots = .certificates(roots)
        }
        guard let additionalRoots else { return tls }
        guard FileManager.default.isReadableFile(atPath: additionalRoots) else {
            throw AppStoreConfigurationError("the file of additional TLS roots \(additionalRoots) is missing or can't be read")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(additionalRoots), !certificates.isEmpty else {
            throw AppStoreConfigurationError("the file of additional TLS roots \(additionalRoots) holds no certificate")
        }
        tls.additionalTrustRoots = [.certificates(certificates)]
        return tls
    }
}
