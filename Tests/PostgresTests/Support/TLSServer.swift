// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Postgres
import PrivatePostgres
import SwiftASN1
import TestSupport
import X509

/// A server on loopback with a certificate for `localhost`, made at run time and signed by itself.
enum TLSServer {
    /// Runs `body` with a function that makes a connection string: it verifies the server as `host` by the certificates in
    /// `roots`, which is the server's own one unless it is told otherwise.
    static func with(
        _ body: (_ url: @Sendable (_ host: String, _ roots: String?) -> String) async throws -> Void
    ) async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], loopback: .trusted, logger: .test) { server in
            let (certificate, key) = (server.socketFolder + "/server.crt", server.socketFolder + "/server.key")
            let identity = try Identity(host: "localhost")
            try write(identity.certificatePEM, to: certificate, for: server)
            try write(identity.keyPEM, to: key, for: server)
            try await PostgresConnection.withConnection(to: server.url()) { connection in
                for (name, value) in [("ssl_cert_file", certificate), ("ssl_key_file", key), ("ssl", "on")] {
                    _ = try await connection.execute("alter system set \(name) = '\(value)'")
                }
                _ = try await connection.execute("select pg_reload_conf()")
                try await connection.waitUntil("current_setting('ssl') = 'on'")
            }
            let port = server.port
            try await body { host, roots in
                "host=\(host) port=\(port) user=postgres dbname=postgres sslmode=verify-full sslrootcert=\(roots ?? certificate)"
            }
        }
    }

    /// Runs `body` with a file that holds a certificate which signed nothing of the server's.
    static func withForeignRoots(_ body: (_ path: String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/roots-" + UUID().uuidString.prefix(8)
        try Data(Identity(host: "localhost").certificatePEM.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    /// For the server's eyes alone, which it insists on for a key.
    private static func write(_ text: String, to path: String, for server: PrivatePostgresServer) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let folder = try FileManager.default.attributesOfItem(atPath: server.socketFolder)
        var attributes = folder.filter { [.ownerAccountID, .groupOwnerAccountID].contains($0.key) }
        attributes[.posixPermissions] = 0o600
        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    }

    private struct Identity {
        let certificatePEM: String
        let keyPEM: String

        init(host: String) throws {
            let key = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName(host) }
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: Date.now.addingTimeInterval(-86_400),
                notValidAfter: Date.now.addingTimeInterval(86_400),
                issuer: name,
                subject: name,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                    SubjectAlternativeNames([.dnsName(host)])
                },
                issuerPrivateKey: Certificate.PrivateKey(key)
            )
            certificatePEM = try certificate.serializeAsPEM().pemString
            keyPEM = key.pemRepresentation
        }
    }
}
