// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import Testing
import X509

@testable import AppStore

@Suite
struct ServerNameTests {
    @Test(arguments: [
        ("buy.itunes.apple.com", ["buy.itunes.apple.com"], true),
        ("Buy.iTunes.Apple.com.", ["x.example", "BUY.itunes.apple.COM"], true),
        ("buy.itunes.apple.com", ["*.itunes.apple.com"], true),
        ("buy.itunes.apple.com", ["sandbox.itunes.apple.com"], false),
        ("buy.itunes.apple.com", ["*.apple.com"], false),
        ("buy.itunes.apple.com", ["*.*.apple.com"], false),
        ("buy.itunes.apple.com", ["*"], false),
        ("buy.itunes.apple.com", ["b*.itunes.apple.com"], false),
        ("buy.itunes.apple.com", ["buy.itunes.apple.com.example"], false),
        ("buy.itunes.apple.com", ["itunes.apple.com"], false),
        ("apple.com", ["*.apple.com"], false),
        ("buy.itunes.apple.com", [], false),
    ])
    func certificateMustBearTheName(host: String, names: [String], covers: Bool) throws {
        let certificate = try Self.certificate(names: names.map { .dnsName($0) })

        #expect(ServerName(host).covers(der: certificate) == covers)
    }

    @Test
    func commonNameIsNoName() throws {
        let byCommonName = try Self.certificate(names: nil)

        #expect(!ServerName("buy.itunes.apple.com").covers(der: byCommonName))
        #expect(!ServerName("buy.itunes.apple.com").covers(der: [0x30, 0x00]))
    }

    @Test(arguments: ["127.0.0.1", "::1", "[::1]"])
    func hostThatIsAnAddressIsLeftToTLS(host: String) throws {
        #expect(ServerName(host).covers(der: try Self.certificate(names: [])))
    }

    /// A certificate with the subject "buy.itunes.apple.com" and these alternative names.
    private static func certificate(names: [GeneralName]?) throws -> [UInt8] {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("buy.itunes.apple.com") }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date(), notValidAfter: Date().addingTimeInterval(60), issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions { if let names { SubjectAlternativeNames(names) } },
            issuerPrivateKey: key
        ).derBytes
    }
}
