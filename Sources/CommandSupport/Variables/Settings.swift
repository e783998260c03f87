// SPDX-License-Identifier: Apache-2.0

package import AppStore
package import Logging
package import Observability
package import VerificationQueue
package import Webhooks

/// The checked values of the environment. Only ``read(from:)`` looks at the environment.
package struct Settings: Sendable {
    /// The address of the database; nil when the variable is not set.
    package var databaseURL: String?

    /// A direct connection for `listen` and `migrate`, where a pooler stands before the database.
    package var listenURL: String?

    /// The folder of the credentials, one file each.
    package var credentialsDirectory: String?

    /// Nil: `info` for a worker; the others have levels of their own, mostly `warning`.
    package var logLevel: Logger.Level?

    /// The worker's name; nil: its host's name.
    package var workerName: String?

    /// Whether a worker listens for signals of new jobs.
    package var listens = true

    package var worker = WorkerConfiguration()
    package var appStore = AppStoreConfiguration()
    package var extraRoots: [ExtraRootFile] = []
    package var webhooks = WebhookConfiguration()

    /// The address at which metrics can be read; nil: none.
    package var metricsAddress: MetricsAddress?

    /// systemd's socket for notices; see `ServiceManager`.
    package var notifySocket: String?

    /// How long systemd's watchdog waits for a sign of life; nil when it doesn't watch this process.
    package var watchdogInterval: Duration?

    /// systemd's mark of the journal; see `StandardError`.
    package var journalStream: String?

    /// The user who called `sudo`, if this process was started by it.
    package var sudoUser: String?

    /// Variables that have our prefix and that this program does not read.
    package var unknownVariables: [UnknownVariable] = []

    /// The settings without any variable set.
    package init() {}

    /// Logs to standard error, in the journal's form where that is the journal.
    ///
    /// - Parameter level: the least level that is logged, unless a variable sets it.
    package func makeLogger(level: Logger.Level) -> Logger {
        let sink = StandardError(journalStream: journalStream)
        var logger = Logger(label: "counterfoil") { _ in JournalLogHandler(sink: sink) }
        logger.logLevel = logLevel ?? level
        return logger
    }
}
