// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct TrustAnchorsTests {
    private let game = BundleID(rawValue: "com.example.game")
    private let shop = BundleID(rawValue: "com.example.shop")

    @Test
    func applesThreeRootsArePinned() {
        #expect(
            TrustAnchors.appleRoots.map(\.description) == [
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
            ]
        )
    }

    /// A receipt may come without its root.
    @Test
    func theRootsThemselvesAreTheOnesThatArePinned() throws {
        #expect(AppleRoots.all.map(Fingerprint.init(of:)) == TrustAnchors.appleRoots)
        for root in AppleRoots.all {
            let name = try #require(EmbeddedCertificate(der: root)?.subject)
            #expect(TrustAnchors().roots(named: name) == [root])
        }
    }

    @Test
    func furtherRootIsFoundByItsName() throws {
        let der = try SigningFixture().authority.rootCertificateDER
        let anchors = TrustAnchors(further: [try ExtraRoot(certificate: der, bundleIDs: [game])])

        #expect(anchors.roots(named: try #require(EmbeddedCertificate(der: der)?.subject)) == [der])
        #expect(anchors.roots(named: try #require(CertificateName([0x30, 0x00]))) == [])
    }

    @Test
    func furtherRootIsTrustedByDERAndByPEM() throws {
        let fixture = try SigningFixture()
        let der = fixture.authority.rootCertificateDER
        let lines = Data(der).base64EncodedString(options: .lineLength64Characters)
        let pem = Array("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8)

        for bytes in [der, pem] {
            let anchors = TrustAnchors(further: [try ExtraRoot(certificate: bytes, bundleIDs: [game])])

            #expect(anchors.anchor(forRoot: der) == .further([game]))
        }
        #expect(TrustAnchors().anchor(forRoot: der) == nil)
    }

    @Test
    func rootNamedTwiceCoversTheAppsOfBoth() throws {
        let der = try SigningFixture().authority.rootCertificateDER

        let anchors = TrustAnchors(further: [
            try ExtraRoot(certificate: der, bundleIDs: [game]), try ExtraRoot(certificate: der, bundleIDs: [shop]),
        ])

        #expect(anchors.anchor(forRoot: der) == .further([game, shop]))
    }

    @Test
    func anchorCoversItsAppsOnly() {
        #expect(TrustAnchors.Anchor.apple.covers(game))
        #expect(TrustAnchors.Anchor.apple.covers(nil))
        #expect(TrustAnchors.Anchor.further([game]).covers(game))
        #expect(!TrustAnchors.Anchor.further([game]).covers(shop))
        #expect(!TrustAnchors.Anchor.further([game]).covers(nil))
    }

    @Test
    func furtherRootIsReadFromAFile() throws {
        let der = try SigningFixture().authority.rootCertificateDER
        let folder = try TemporaryFolder()
        try folder.write(der, to: "root.cer")
        try folder.write(Array("not a certificate".utf8), to: "other.cer")

        let root = try ExtraRoot(file: folder.path("root.cer"), bundleIDs: [game])

        #expect(root.fingerprint == Fingerprint(of: der))
        #expect(throws: AppStoreConfigurationError.self) {
            try ExtraRoot(file: folder.path("missing.cer"), bundleIDs: [game])
        }
        #expect(throws: AppStoreConfigurationError.self) {
            try ExtraRoot(file: folder.path("other.cer"), bundleIDs: [game])
        }
        #expect(throws: AppStoreConfigurationError.self) { try ExtraRoot(certificate: der, bundleIDs: []) }
    }
}
