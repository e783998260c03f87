// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Glibc
import VerificationQueue

/// The operator who gives a command, and the reason.
struct OperatorOptions: ParsableArguments {
    @Option(help: "The reason, which is kept beside your name. Needed for every act. 1 to 900 characters.")
    var why: String?

    @Option(help: "Your name. Default: the user who called sudo, or the system's user.")
    var `operator`: String?

    func validate() throws {
        if let why, !(1...900).contains(why.count) {
            throw ValidationError("The reason must have 1 to 900 characters.")
        }
        if let name = self.operator, !(1...100).contains(name.count) {
            throw ValidationError("The operator's name must have 1 to 100 characters.")
        }
    }

    /// - Throws: when nobody said why.
    func act(_ assembly: Assembly) throws -> OperatorAct {
        guard let why else { throw CommandFailure(.usage, "give the reason with --why: it is kept beside your name") }
        return OperatorAct(who: self.operator ?? assembly.operatorName, why: why)
    }
}

/// The name that is kept beside an operator's act.
enum OperatorName {
    /// - Parameter sudoUser: the user who called `sudo`, if this process was started by it.
    static func current(sudoUser: String?) -> String {
        if let sudoUser, !sudoUser.isEmpty {
            return sudoUser
        }
        if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name {
            return String(cString: name)
        }
        return "user \(getuid())"
    }
}
