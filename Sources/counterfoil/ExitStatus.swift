// SPDX-License-Identifier: Apache-2.0

/// How the program ends. Numbers from 64 to 78 mean what `sysexits.h` says.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// Something differs from what it should be, was not found, or was refused by a rule.
    case failure = 1
    case usage = 64
    /// What was handed in (a proof) can't be used.
    case badInput = 65
    /// The database can't be reached. A worker waits for it; other commands end.
    case databaseUnavailable = 69
    /// An address to listen on is taken, or isn't this machine's.
    case cannotListen = 71
    /// What it had to say could not be written, as on a full disk.
    case outputLost = 74
    /// It didn't work out this time; the same command may succeed later.
    case temporaryFailure = 75
    /// The database refused the user, the password or the privilege.
    case noPermission = 77
    /// A variable or a credential can't be used.
    case configuration = 78
    /// The schema lacks a migration: run `counterfoil migrate`.
    case schemaTooOld = 79
    /// The schema has a migration that this program doesn't know: install a newer one.
    case schemaTooNew = 80

    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "something differs, was not found, or was refused by a rule"
        case .usage: "the command line can't be understood"
        case .badInput: "what was handed in can't be used"
        case .databaseUnavailable: "the database can't be reached (a worker waits for it instead)"
        case .cannotListen: "the address for metrics can't be listened on"
        case .outputLost: "it was done, but the output could not be written"
        case .temporaryFailure:
            "it didn't work out this time; unless the message says to look first, the same command may be given again"
        case .noPermission: "the database refused the user, the password or the privilege"
        case .configuration: "a variable or a credential can't be used"
        case .schemaTooOld: "the schema lacks a migration: run counterfoil migrate"
        case .schemaTooNew: "the schema is newer than this program: install a newer one"
        }
    }

    /// For the help text.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
