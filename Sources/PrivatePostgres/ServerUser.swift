// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Who the server runs as: ourselves, or the account `postgres` where we are root, since the server refuses root.
struct ServerUser: Sendable {
    /// Nil: ourselves.
    private let account: (userID: uid_t, groupID: gid_t)?

    static func current() throws(PrivatePostgresError) -> ServerUser {
        guard geteuid() == 0 else { return ServerUser(account: nil) }
        guard let entry = getpwnam("postgres") else {
            throw PrivatePostgresError("we are root, and there is no user \"postgres\" to run a server as")
        }
        return ServerUser(account: (entry.pointee.pw_uid, entry.pointee.pw_gid))
    }

    /// What to put before a command so that it runs as this user.
    ///
    /// By a program and not by the options of Subprocess: its child calls glibc's `setuid` after a bare `clone`, which waits
    /// for the locks and threads of the parent and hangs now and then.
    var commandPrefix: [String] {
        guard let account else { return [] }
        return ["setpriv", "--reuid=\(account.userID)", "--regid=\(account.groupID)", "--clear-groups", "--"]
    }

    /// Whether this user may pass through a folder and all above it. We may ourselves, or learn it soon.
    func canEnter(_ folder: String) -> Bool {
        guard let account else { return true }
        var path = folder
        while true {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return false }
            let bit = facts.st_uid == account.userID ? S_IXUSR : facts.st_gid == account.groupID ? S_IXGRP : S_IXOTH
            guard facts.st_mode & bit != 0 else { return false }
            guard path != "/", let slash = path.lastIndex(of: "/") else { return true }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    /// Gives a file or folder to this user.
    func own(_ path: String) throws(PrivatePostgresError) {
        guard let account else { return }
        guard chown(path, account.userID, account.groupID) == 0 else {
            throw PrivatePostgresError("could not give \(path) to the server's user: \(String(cString: strerror(errno)))")
        }
    }
}
