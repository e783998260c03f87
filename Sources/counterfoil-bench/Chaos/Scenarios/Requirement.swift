// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a scenario needs of the machine, or of whoever runs it.
enum Requirement: Sendable {
    /// It mounts a small file system.
    case root
    /// A program that knows an older schema only.
    case olderWorker
    case fakeTime
    case pgBouncer

    /// Why it isn't met; nil when it is.
    func obstacle(_ settings: ChaosSettings) -> String? {
        switch self {
        case .root: geteuid() == 0 ? nil : "it mounts a small file system, which only root may"
        case .olderWorker: settings.olderProgram == nil ? "it needs --older-worker" : nil
        case .fakeTime: FakeTime.library == nil ? "libfaketime isn't installed" : nil
        case .pgBouncer: Pooler.isInstalled ? nil : "PgBouncer isn't installed"
        }
    }
}
