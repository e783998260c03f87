// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
package import Verification

/// The apps' shared secrets and keys of the App Store Server API, read from files in a credentials directory (systemd's
/// `$CREDENTIALS_DIRECTORY`).
///
/// Files are read when the store is made and at ``reload()``, never while a job waits.
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
    package var unusableCredentials: [String] {
        state.withLock { $0.secrets.faultyNames + $0.keys.faultyNames }.sorted()
    }
}
