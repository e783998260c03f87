// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// The name under which a server is asked, and which its certificate must bear.
///
/// NIOSSL is content, too, with a certificate for the address that the connection goes to. Such certificates are to be
/// had for any address, so whoever answers DNS in our place could stand in for Apple; and of verifyReceipt nothing but
/// TLS says that it is Apple who speaks. So the name is checked once more, before the first request.
package struct ServerName: Sendable {
    /// Without a dot at the end, in lower case.
    private let name: String

    /// Whether it is an address itself; a certificate for that address is the right one then, as NIOSSL has checked.
    private let isAddress: Bool

    package init(_ host: String) {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        self.name = name
        let bare = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        isAddress = (try? SocketAddress(ipAddress: bare, port: 443)) != nil
    }

    /// Lets nothing out through a connection whose peer has shown no certificate for this name.
    ///
    /// Succeeds in either case: the HTTP client's own state breaks when the step before its first request fails. The
    /// first request on such a connection fails instead, before a byte of it has left.
    package func guardConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate()
            .map { certificate in (try? certificate?.toDERBytes()).map { covers(der: $0) } ?? false }
            .flatMapErrorThrowing { _ in false }
            .map { isNamed in
                guard !isNamed else { return }
                try? channel.pipeline.syncOperations.addHandler(HostnameMismatchHandler(), position: .first)
            }
    }

    /// Whether a certificate is for this name (RFC 6125): by one of its DNS names, in which `*` may stand for the first
    /// label. A common name counts for nothing.
    func covers(der: [UInt8]) -> Bool {
        guard !isAddress else { return true }
        guard let certificate = try? Certificate(derEncoded: der),
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return false }
        return names.contains { other in
            if case .dnsName(let pattern) = other { matches(pattern.lowercased()) } else { false }
        }
    }

    private func matches(_ pattern: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return pattern == name }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return name[dot...] == pattern.dropFirst()
    }
}
