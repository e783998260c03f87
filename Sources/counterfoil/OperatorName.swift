// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Who gives a command: what is written beside what was done by hand.
enum OperatorName {
    /// - Parameter sudoUser: who called `sudo`, if that is how we came here.
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
