// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
package import Verification

/// The apps' shared secrets, read from files in a credentials directory (systemd's `$CREDENTIALS_DIRECTORY`).
///
/// Files are read when the store is made and at ``reload()``, never while a job waits. An app whose file was named
/// needs it; any other app uses `<bundle id>.shared-secret` if it is there, and goes without a password if not.
package final class CredentialStore: Sendable {
    /// What is known of one credential.
    private enum Entry: Sendable {
        case secret(SharedSecret)
        case missing(name: String)
    }

    private static let suffix = ".shared-secret"

    /// More than any secret; a larger file is not one.
    private static let largestFile = 4096

    private struct State {
        var fileNames: [BundleID: String]
        var entries: [BundleID: Entry]
    }

    private let directory: String?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - directory: where the files lie; nil when there is none, and no app has a secret.
    ///   - fileNames: file names for the apps that must have a secret, without a path.
    package init(directory: String?, fileNames: [BundleID: String] = [:]) {
        self.directory = directory
        self.state = Mutex(State(fileNames: fileNames, entries: Self.read(directory, fileNames)))
    }

    /// Reads all files again, after an operator changed one.
    ///
    /// - Parameter fileNames: takes the place of the names given before; nil keeps those.
    package func reload(fileNames: [BundleID: String]? = nil) {
        let names = fileNames ?? state.withLock { $0.fileNames }
        let fresh = State(fileNames: names, entries: Self.read(directory, names))
        state.withLock { $0 = fresh }
    }

    /// The app's secret; nil when it goes without.
    ///
    /// - Throws: a failure of kind `configuration` that names the credential when a named file is missing or unusable.
    package func sharedSecret(for bundleID: BundleID) throws(VerificationFailure) -> SharedSecret? {
        switch state.withLock({ $0.entries[bundleID] }) {
        case nil: return nil
        case .secret(let secret): return secret
        case .missing(let name):
            throw VerificationFailure(
                .configuration, .configuration, message: "the credential \(name) is missing or is not a shared secret"
            )
        }
    }

    /// Names of the credentials that an app needs and lacks, in order.
    package var missingCredentials: [String] {
        state.withLock { state in
            state.entries.values.compactMap { entry in if case .missing(let name) = entry { name } else { nil } }
        }.sorted()
    }

    private static func read(_ directory: String?, _ fileNames: [BundleID: String]) -> [BundleID: Entry] {
        var entries: [BundleID: Entry] = [:]
        let present = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        for name in present where name.hasSuffix(suffix) && name.count > suffix.count {
            let bundleID = BundleID(rawValue: String(name.dropLast(suffix.count)))
            entries[bundleID] = entry(directory, name)
        }
        for (bundleID, name) in fileNames {
            entries[bundleID] = entry(directory, name)
        }
        return entries
    }

    private static func entry(_ directory: String?, _ name: String) -> Entry {
        guard let directory, !name.isEmpty, !name.contains("/"), name != ".", name != "..",
            let contents = FileManager.default.contents(atPath: directory + "/" + name),
            contents.count <= largestFile, let secret = SharedSecret(contents: Array(contents))
        else { return .missing(name: name) }
        return .secret(secret)
    }
}
