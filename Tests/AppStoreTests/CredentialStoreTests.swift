// SPDX-License-Identifier: Apache-2.0

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
    func namedFileTakesThePlaceOfTheUsualOne() throws {
        try folder.write(Array("usual".utf8), to: "com.example.game.shared-secret")
        try folder.write(Array("named".utf8), to: "game-secret")

        let store = CredentialStore(directory: folder.path, fileNames: [game: "game-secret"])

        #expect(try store.sharedSecret(for: game)?.text == "named")
    }

    @Test
    func appWithoutAFileGoesWithoutAPassword() throws {
        #expect(try CredentialStore(directory: folder.path).sharedSecret(for: game) == nil)
        #expect(try CredentialStore(directory: nil).sharedSecret(for: game) == nil)
        #expect(try CredentialStore(directory: folder.path("nowhere")).sharedSecret(for: game) == nil)
    }

    @Test(arguments: [
        ("a missing file", "absent", nil),
        ("an empty file", "empty", " \n"),
        ("two lines", "lines", "abc\ndef"),
        ("bytes that are no text", "binary", "\u{1}\u{2}"),
        ("a file too long", "long", String(repeating: "a", count: 257)),
        ("a path", "../game-secret", nil),
        ("the folder itself", ".", nil),
    ])
    func namedFileThatIsNoSecretIsAFaultOfConfiguration(name: String, file: String, contents: String?) throws {
        if let contents { try folder.write(Array(contents.utf8), to: file) }
        let store = CredentialStore(directory: folder.path, fileNames: [game: file])

        let failure = #expect(throws: VerificationFailure.self) { try store.sharedSecret(for: game) }

        #expect(failure?.kind == .configuration && failure?.reason == .configuration)
        #expect(failure?.message.contains(file) == true)
        #expect(store.missingCredentials == [file])
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
    func reloadingMayNameOtherFiles() throws {
        try folder.write(Array("first".utf8), to: "first")
        try folder.write(Array("second".utf8), to: "second")
        let store = CredentialStore(directory: folder.path, fileNames: [game: "first"])

        store.reload(fileNames: [game: "second"])
        store.reload()

        #expect(try store.sharedSecret(for: game)?.text == "second")
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
