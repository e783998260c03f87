// SPDX-License-Identifier: Apache-2.0

import Glibc

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
