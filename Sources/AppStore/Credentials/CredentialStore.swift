// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
package import Verification

/// The apps' shared secrets and keys of the App Store Server API, read from files in a credentials directory (systemd's
/// `$CREDENTIALS_DIRECTORY`).
///
/// Files are read when the store is made and at ``reload()``, never while a job waits.
///
/// systemd can load all files of a folder as credentials, `LoadCredential=counterfoil:/etc/counterfoil/credentials`. It
/// puts the id and an underscore before their names (systemd.exec(5)). Both forms are read; bundle ids hold no underscore.
///
/// | Kind | File | Where it is missing |
/// |---|---|---|
/// | shared secret | `<bundle id>.shared-secret` | the app goes without |
/// | API key | `<bundle id>.server-api-key`, else `default.server-api-key` | the API can't be asked about the app |
package final class CredentialStore: Sendable {
    private struct State {
        var secrets: CredentialFiles<SharedSecret>
        var keys: CredentialFiles<ServerAPIKey>

        init(_ directory: String?) {
            secrets = CredentialFiles(.sharedSecret, in: directory)
            keys = CredentialFiles(.serverAPIKey, in: directory)
        }
    }

    private let directory: String?
    private let state: Mutex<State>

    /// - Parameter directory: where the files lie; nil when there is none, and no app has a credential.
    package init(directory: String?) {
        self.directory = directory
        self.state = Mutex(State(directory))
    }

    /// Reads all files again, after an operator changed one.
    package func reload() {
        let fresh = State(directory)
        state.withLock { $0 = fresh }
    }

    /// The app's secret; nil when it goes without.
    ///
    /// - Throws: a failure of kind `configuration` that names the credential when its file is unusable.
    package func sharedSecret(for bundleID: BundleID) throws(VerificationFailure) -> SharedSecret? {
        switch state.withLock({ $0.secrets[bundleID] }) {
        case nil: return nil
        case .usable(let secret): return secret
        case .faulty(let name, let fault): throw .misconfigured("the credential \(name) \(fault.problem)")
        }
    }

    /// Whether a key was found for an app, its own or the one for all, usable or not.
    package func hasServerAPIKey(for bundleID: BundleID) -> Bool {
        state.withLock { $0.keys[bundleID] } != nil
    }

    /// The key by which the App Store Server API is asked about an app.
    ///
    /// - Throws: a failure of kind `configuration` that names the credential when there is none, or an unusable one.
    func serverAPIKey(for bundleID: BundleID) throws(VerificationFailure) -> ServerAPIKey {
        let kind = CredentialKind.serverAPIKey
        switch state.withLock({ $0.keys[bundleID] }) {
        case .usable(let key): return key
        case .faulty(let name, let fault): throw .misconfigured("the credential \(name) \(fault.problem)")
        case nil:
            throw .misconfigured(
                "there is no credential \(kind.fileName(of: bundleID.rawValue)) or \(kind.fileName(of: "default"))")
        }
    }

    /// Names of the credentials that are there and can't be used, in order.
    package var unusableCredentials: [String] { faults.map(\.name) }

    /// The credentials that are there and can't be used, in order, each with a phrase that says why and nothing of its contents.
    package var faults: [(name: String, problem: String)] {
        state.withLock { $0.secrets.faults + $0.keys.faults }.sorted { $0.name < $1.name }
    }

    /// The apps that files are named for.
    package var bundleIDs: Set<BundleID> {
        state.withLock { $0.secrets.bundleIDs.union($0.keys.bundleIDs) }
    }
}

extension CredentialStore {
    private static let systemdPrefix = "counterfoil_"

    /// The file of a credential: under its own name, else under systemd's; nil when there is neither.
    package static func path(of name: String, in directory: String) -> String? {
        [name, systemdPrefix + name].map { directory + "/" + $0 }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// A file's name without systemd's prefix.
    fileprivate static func plainName(_ fileName: String) -> String {
        fileName.hasPrefix(systemdPrefix) ? String(fileName.dropFirst(systemdPrefix.count)) : fileName
    }
}

/// All credentials of one kind, as they were found in the directory at one moment.
private struct CredentialFiles<Value: Sendable>: Sendable {
    /// One file of the directory.
    enum Entry: Sendable {
        case usable(Value)
        case faulty(name: String, CredentialFault)
    }

    private let entries: [BundleID: Entry]
    private let standard: Entry?

    /// Reads every file of the kind that is there.
    ///
    /// - Parameter directory: nil when there is none; then nothing is found.
    init(_ kind: CredentialKind<Value>, in directory: String?) {
        var entries: [BundleID: Entry] = [:]
        var standard: Entry?
        let present = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        let names = Set(present.map(CredentialStore.plainName))
        for name in names where name.hasSuffix(kind.suffix) && name.count > kind.suffix.count {
            let entry = Self.entry(kind, directory, name)
            if kind.hasDefault, name == kind.fileName(of: "default") {
                standard = entry
            } else {
                entries[BundleID(rawValue: String(name.dropLast(kind.suffix.count)))] = entry
            }
        }
        self.entries = entries
        self.standard = standard
    }

    /// The app's own, else the one for all; an own one that is faulty hides the one for all.
    subscript(bundleID: BundleID) -> Entry? {
        entries[bundleID] ?? standard
    }

    /// The files that are there and can't be used.
    var faults: [(name: String, problem: String)] {
        (Array(entries.values) + (standard.map { [$0] } ?? []))
            .compactMap { entry in if case .faulty(let name, let fault) = entry { (name, fault.problem) } else { nil } }
    }

    /// The apps that have a file of their own.
    var bundleIDs: Set<BundleID> { Set(entries.keys) }

    private static func entry(_ kind: CredentialKind<Value>, _ directory: String?, _ name: String) -> Entry {
        guard let path = directory.flatMap({ CredentialStore.path(of: name, in: $0) }) else { return .faulty(name: name, .missing) }
        guard let contents = FileManager.default.contents(atPath: path) else {
            return .faulty(name: name, CredentialFault(unreadableFile: path))
        }
        guard contents.count <= kind.largestFile else { return .faulty(name: name, .tooLarge) }
        do {
            return .usable(try kind.read(Array(contents)))
        } catch {
            return .faulty(name: name, error)
        }
    }
}
