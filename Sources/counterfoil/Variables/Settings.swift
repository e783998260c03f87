// SPDX-License-Identifier: Apache-2.0

import AppStore
import Logging
import Observability
import VerificationQueue

/// All that the environment says, checked; nothing else of the program looks at the environment.
struct Settings: Sendable {
    /// Where the database is; nil when nobody said so.
    var databaseURL: String?

    /// A direct connection for `listen` and `migrate`, where a pooler stands before the database.
    var listenURL: String?

    /// Where credentials lie, one file each.
    var credentialsDirectory: String?

    /// Nil: `info` for a worker, what the command chooses for the others, mostly `warning`.
    var logLevel: Logger.Level?

    /// What a worker is called; nil: its host's name.
    var workerName: String?

    /// Whether a worker listens for notifications of new jobs.
    var listens = true

    var worker = WorkerConfiguration()
    var appStore = AppStoreConfiguration()
    var extraRoots: [ExtraRootFile] = []

    /// Where metrics can be read; nil: nowhere.
    var metricsAddress: MetricsAddress?

    /// systemd's socket for notices; see `ServiceManager`.
    var notifySocket: String?

    /// How long systemd's watchdog waits for a sign of life; nil when it doesn't watch this process.
    var watchdogInterval: Duration?

    /// systemd's mark of the journal; see `StandardError`.
    var journalStream: String?

    /// Who called `sudo`, if that is how we came here.
    var sudoUser: String?

    /// Variables of our prefix that mean nothing to this program, most likely misspelled.
    var unknownVariables: [String] = []

    /// The settings without any variable set.
    init() {}
}
