// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One kind of credential: what its files are called, and how they are read.
struct CredentialKind<Value: Sendable>: Sendable {
    /// A file's name without the bundle id that comes before.
    let suffix: String

    /// Whether the file `default` + ``suffix`` serves the apps that have none of their own.
    let hasDefault: Bool

    /// More bytes than any honest file has.
    let largestFile: Int

    /// Reads a file's contents.
    let read: @Sendable ([UInt8]) throws(CredentialFault) -> Value

    /// The name of an app's file.
    func fileName(of app: String) -> String {
        app + suffix
    }
}

extension CredentialKind<SharedSecret> {
    /// `<bundle id>.shared-secret`: the secret alone.
    static let sharedSecret = CredentialKind(suffix: ".shared-secret", hasDefault: false, largestFile: 4096) {
        (contents) throws(CredentialFault) in
        guard let secret = SharedSecret(contents: contents) else {
            throw CredentialFault("is not a shared secret, which is 1 to 256 printable characters")
        }
        return secret
    }
}

extension CredentialKind<ServerAPIKey> {
    /// `<bundle id>.server-api-key`, or `default.server-api-key`: a key of the App Store Server API, as JSON.
    static let serverAPIKey = CredentialKind(suffix: ".server-api-key", hasDefault: true, largestFile: 16 * 1024) {
        (contents) throws(CredentialFault) in
        try ServerAPIKey(contents: contents)
    }
}

/// A fault of a credential's file: a phrase to follow its name, without anything of its contents.
struct CredentialFault: Error, Hashable, Sendable {
    static let missing = CredentialFault("is missing or can't be read")
    static let tooLarge = CredentialFault("is too large")

    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    /// Why a file that is there can't be read: it is a folder, or its owner and mode keep this user from it.
    ///
    /// - Parameter isReadable: whether this user may read a file.
    init(unreadableFile path: String, isReadable: (String) -> Bool = { FileManager.default.isReadableFile(atPath: $0) }) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            self = .missing
            return
        }
        if attributes[.type] as? FileAttributeType == .typeDirectory {
            self.init("is a folder")
        } else if let mode = Self.mode(attributes), !isReadable(path) {
            let owner = (attributes[.ownerAccountName] as? String).map { " of \($0)" } ?? ""
            self.init("can't be read by this user: it is a file\(owner) with mode \(String(mode, radix: 8))")
        } else {
            self = .missing
        }
    }

    /// FoundationEssentials has it as another type than Foundation.
    static func mode(_ attributes: [FileAttributeKey: Any]) -> UInt? {
        attributes[.posixPermissions] as? UInt ?? (attributes[.posixPermissions] as? Int).map(UInt.init)
    }
}
