// SPDX-License-Identifier: Apache-2.0

/// The status with which a program ends. Numbers from 64 to 78 mean what `sysexits.h` says.
package enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// Something differs from what it should be, was not found, or was refused by a rule.
    case failure = 1
    case usage = 64
    /// The given proof can't be used.
    case badInput = 65
    /// The database can't be reached. A worker waits for it; other commands end.
    case databaseUnavailable = 69
    /// An address to listen on is taken, or isn't this machine's.
    case cannotListen = 71
    /// The output could not be written, as on a full disk.
    case outputLost = 74
    /// The command failed this time; the same command may succeed later.
    case temporaryFailure = 75
    /// The database refused the user, the password or the privilege; or a superuser was to write.
    case noPermission = 77
    /// A variable or a credential can't be used.
    case configuration = 78
    /// The schema lacks a migration: run `counterfoil migrate`.
    case schemaTooOld = 79
    /// The schema has a migration that this program doesn't know: install a newer one.
    case schemaTooNew = 80

    package var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "a check found something, nothing was found, or a rule refused it"
        case .usage: "the command line can't be understood"
        case .badInput: "the given proof can't be used"
        case .databaseUnavailable: "the database can't be reached (a worker waits for it instead)"
        case .cannotListen: "an address to listen on is taken or not this machine's"
        case .outputLost: "the command succeeded, but its output could not be written"
        case .temporaryFailure:
            "the command failed this time; unless the message asks you to look first, give it again"
        case .noPermission: "the database refused the user, the password or the privilege, or the role is a superuser"
        case .configuration: "a variable or a credential can't be used"
        case .schemaTooOld: "the schema lacks a migration: run counterfoil migrate"
        case .schemaTooNew: "the schema is newer than this program: install a newer one"
        }
    }

    /// For the help text.
    package static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
