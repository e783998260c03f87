// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct CredentialStoreTests {
    private let game = BundleID(rawValue: "com.example.game")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func secretIsReadWithoutTheWhiteSpaceAroundIt() throws {
        try folder.write(Array("  0123456789abcdef\r\n".utf8), to: "com.example.game.shared-secret")

        let secret = try CredentialStore(directory: folder.path).sharedSecret(for: game)

        #expect(secret?.text == "0123456789abcdef")
    }

    @Test
    func namesMayBeThoseThatSystemdMakes() throws {
        try folder.write(Array("systemd's".utf8), to: "counterfoil_com.example.game.shared-secret")

        let store = CredentialStore(directory: folder.path)

        #expect(try store.sharedSecret(for: game)?.text == "systemd's")
        #expect(store.unusableCredentials == [])
    }

    @Test
    func anOwnNameGoesBeforeSystemds() throws {
        try folder.write(Array("own".utf8), to: "com.example.game.shared-secret")
        try folder.write(Array("systemd's".utf8), to: "counterfoil_com.example.game.shared-secret")

        let secret = try CredentialStore(directory: folder.path).sharedSecret(for: game)

        #expect(secret?.text == "own")
    }

    // MARK: Digests

    private func digest(_ secret: String?, of bundleID: BundleID? = nil) throws -> CredentialDigest? {
        let folder = try TemporaryFolder()
        let app = bundleID ?? game
        if let secret { try folder.write(Array(secret.utf8), to: "\(app.rawValue).shared-secret") }
        return CredentialStore(directory: folder.path).digestOfSharedSecret(for: app)
    }

    @Test
    func aDigestNamesASecretOfAnApp() throws {
        let found = try digest("0123456789abcdef")

        #expect(found?.bytes.count == 32)
        #expect(try digest(" 0123456789abcdef\n") == found)
        for other in [
            try digest("0123456789abcdee"), try digest(nil), try digest("0123456789abcdef", of: BundleID(rawValue: "com.example.other")),
        ] {
            #expect(other != nil && other != found)
        }
    }

    @Test
    func anUnusableSecretOrKeyHasNoDigest() throws {
        #expect(try digest("two words") == nil)
        #expect(CredentialStore(directory: folder.path).digestOfServerAPIKey(for: game) == nil)
    }

    @Test
    func appWithoutAFileGoesWithoutAPassword() throws {
        #expect(try CredentialStore(directory: folder.path).sharedSecret(for: game) == nil)
        #expect(try CredentialStore(directory: nil).sharedSecret(for: game) == nil)
        #expect(try CredentialStore(directory: folder.path("nowhere")).sharedSecret(for: game) == nil)
    }

    @Test(arguments: [
        ("a folder", nil), ("an empty file", " \n"), ("two lines", "abc\ndef"), ("bytes that are no text", "\u{1}\u{2}"),
        ("a file too long", String(repeating: "a", count: 257)),
    ])
    func aFileThatIsNoSecretIsAFaultOfConfiguration(name: String, contents: String?) throws {
        let file = "com.example.game.shared-secret"
        if let contents {
            try folder.write(Array(contents.utf8), to: file)
        } else {
            try FileManager.default.createDirectory(atPath: folder.path(file), withIntermediateDirectories: false)
        }
        let store = CredentialStore(directory: folder.path)

        let failure = #expect(throws: VerificationFailure.self) { try store.sharedSecret(for: game) }

        #expect(failure?.kind == .configuration && failure?.reason == .configuration)
        #expect(failure?.message.contains(file) == true)
        #expect(store.unusableCredentials == [file])
    }

    @Test
    func reloadingSeesWhatChanged() throws {
        try folder.write(Array("old".utf8), to: "com.example.game.shared-secret")
        let store = CredentialStore(directory: folder.path)
        try folder.write(Array("new".utf8), to: "com.example.game.shared-secret")

        let before = try store.sharedSecret(for: game)?.text
        store.reload()
        let after = try store.sharedSecret(for: game)?.text
        try folder.remove("com.example.game.shared-secret")
        store.reload()

        #expect(before == "old" && after == "new")
        #expect(try store.sharedSecret(for: game) == nil)
    }

    @Test
    func appsOwnAPIKeyIsUsedElseTheOneForAll() throws {
        try folder.write(Self.keyFile(id: "OWN"), to: "com.example.game.server-api-key")
        try folder.write(Self.keyFile(id: "ALL"), to: "default.server-api-key")

        let store = CredentialStore(directory: folder.path)

        #expect(try store.serverAPIKey(for: game).keyID == "OWN")
        #expect(try store.serverAPIKey(for: BundleID(rawValue: "com.example.other")).keyID == "ALL")
        #expect(store.unusableCredentials == [])
    }

    @Test
    func withoutAnAPIKeyTheFaultNamesBothFiles() throws {
        let failure = #expect(throws: VerificationFailure.self) {
            try CredentialStore(directory: folder.path).serverAPIKey(for: game)
        }

        #expect(failure?.kind == .configuration)
        #expect(failure?.message.contains("com.example.game.server-api-key") == true)
        #expect(failure?.message.contains("default.server-api-key") == true)
    }

    @Test(arguments: [
        ("{}", "issuer_id"), (#"{"issuer_id": "a", "key_id": "b", "private_key": "topsecret"}"#, "private_key"),
        (String(repeating: " ", count: 17_000), "too large"),
        ("-----BEGIN PRIVATE KEY-----\ntopsecret\n-----END PRIVATE KEY-----\n", "is a .p8 file itself"),
        (
            "{\"issuer_id\": \"a\", \"key_id\": \"b\", \"private_key\": \"-----BEGIN PRIVATE KEY-----\ntopsecret\n-----END PRIVATE KEY-----\"}",
            "has real line ends within private_key"
        ),
        (
            #"{"issuer_id": "a", "key_id": "b", "private_key": "-----BEGIN PRIVATE KEY----- topsecret -----END PRIVATE KEY-----"}"#,
            "has a private_key without line ends"
        ),
    ])
    func unusableAPIKeyHidesTheOneForAllAndSaysWhatIsWrong(contents: String, problem: String) throws {
        try folder.write(Array(contents.utf8), to: "com.example.game.server-api-key")
        try folder.write(Self.keyFile(id: "ALL"), to: "default.server-api-key")
        let store = CredentialStore(directory: folder.path)

        let failure = #expect(throws: VerificationFailure.self) { try store.serverAPIKey(for: game) }

        #expect(failure?.kind == .configuration && failure?.reason == .configuration)
        #expect(failure?.message.hasPrefix("the credential com.example.game.server-api-key") == true)
        #expect(failure?.message.contains(problem) == true)
        #expect(failure?.message.contains("topsecret") == false)
        #expect(store.unusableCredentials == ["com.example.game.server-api-key"])
    }

    /// An operator learns of each file which fault it has, and for which app it is.
    @Test
    func eachFileHasItsFaultAndItsApp() throws {
        try folder.write(Array("{}".utf8), to: "com.example.game.server-api-key")
        try FileManager.default.createDirectory(
            atPath: folder.path("com.example.other.shared-secret"), withIntermediateDirectories: false)
        try folder.write(Self.keyFile(id: "ALL"), to: "default.server-api-key")

        let store = CredentialStore(directory: folder.path)

        #expect(store.faults.map(\.name) == ["com.example.game.server-api-key", "com.example.other.shared-secret"])
        #expect(store.faults.last?.problem == "is a folder")
        #expect(store.bundleIDs == [game, BundleID(rawValue: "com.example.other")])
    }

    /// Its owner and mode say why; root may read each.
    @Test(arguments: [0o600, 0o640, 0o0])
    func aFileThatItsUserMayNotReadIsNamedWithItsMode(mode: Int) throws {
        let name = "default.server-api-key"
        try folder.write(Self.keyFile(id: "ALL"), to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name))

        let fault = CredentialFault(unreadableFile: folder.path(name)) { _ in false }

        #expect(fault.problem.hasPrefix("can't be read by this user: it is a file"))
        #expect(fault.problem.hasSuffix(" with mode \(String(mode, radix: 8))"), "\(fault.problem)")
        #expect(CredentialFault(unreadableFile: folder.path("nothing")) == .missing)
        // The programs have no Foundation: there the mode is of this type.
        #expect(CredentialFault.mode([.posixPermissions: UInt(0o640)]) == 0o640)
    }

    @Test
    func reloadingSeesAnotherAPIKey() throws {
        try folder.write(Self.keyFile(id: "OLD"), to: "default.server-api-key")
        let store = CredentialStore(directory: folder.path)
        try folder.write(Self.keyFile(id: "NEW"), to: "default.server-api-key")

        let before = try store.serverAPIKey(for: game).keyID
        store.reload()

        #expect(before == "OLD")
        #expect(try store.serverAPIKey(for: game).keyID == "NEW")
    }

    private static func keyFile(id: String) -> [UInt8] {
        let pem = P256.Signing.PrivateKey().pemRepresentation.split(separator: "\n").joined(separator: #"\n"#)
        return Array(#"{"issuer_id": "issuer", "key_id": "\#(id)", "private_key": "\#(pem)"}"#.utf8)
    }

    @Test
    func secretNeverShowsItself() throws {
        let secret = try #require(SharedSecret(contents: Array("0123456789abcdef".utf8)))
        var dumped = ""
        dump(secret, to: &dumped)
        let shown = [
            "\(secret)", String(reflecting: secret), String(describing: [secret]), "\(Optional(secret) as Any)", dumped,
        ]

        #expect(shown.allSatisfy { !$0.contains("0123") })
    }
}
