// SPDX-License-Identifier: Apache-2.0

import Glibc
import Schema

/// What a scenario needs of the machine, or of whoever runs it.
enum Requirement: Sendable {
    /// It mounts a small file system.
    case root
    /// A program that knows an older schema only: one from before a migration 0007, the first that a schema in use gets.
    case olderWorker
    case fakeTime
    case pgBouncer

    /// Why it isn't met; nil when it is.
    ///
    /// - Parameter migrations: How many this program knows.
    func obstacle(_ settings: ChaosSettings, migrations: Int = Migration.all.count) -> String? {
        switch self {
        case .root: geteuid() == 0 ? nil : "it mounts a small file system, which only root may"
        case .olderWorker where migrations < 7: "no program knows an older schema before there is a migration 0007"
        case .olderWorker: settings.olderProgram == nil ? "it needs --older-worker" : nil
        case .fakeTime: FakeTime.library == nil ? "libfaketime isn't installed" : nil
        case .pgBouncer: Pooler.isInstalled ? nil : "PgBouncer isn't installed"
        }
    }
}
