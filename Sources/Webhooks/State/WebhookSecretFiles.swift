// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Synchronization

/// The files of endpoints' secrets, `NAME.webhook-secret` in the credentials directory.
///
/// A file that was read is kept until ``reload()``; one that is missing or faulty is looked for again each time.
package final class WebhookSecretFiles: Sendable {
    private static let suffix = ".webhook-secret"

    private let directory: String?
    private let read = Mutex<[String: WebhookSecrets]>([:])

    package init(directory: String?) {
        self.directory = directory
    }

    package static func fileName(of endpoint: String) -> String { endpoint + suffix }

    /// Forgets what was read, after an operator changed a file.
    package func reload() {
        read.withLock { $0 = [:] }
    }

    /// - Throws: why there are none; never anything of the file's contents.
    package subscript(endpoint: String) -> WebhookSecrets {
        get throws(WebhookSecrets.Fault) {
            if let secrets = read.withLock({ $0[endpoint] }) { return secrets }
            guard let directory, let path = CredentialStore.path(of: Self.fileName(of: endpoint), in: directory),
                let contents = FileManager.default.contents(atPath: path)
            else { throw WebhookSecrets.Fault(problem: "is missing or can't be read") }
            let secrets = try WebhookSecrets(contents: Array(contents))
            read.withLock { $0[endpoint] = secrets }
            return secrets
        }
    }
}
