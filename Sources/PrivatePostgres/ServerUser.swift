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

    /// Whether this user may reach a folder, and remove what is its own there. Of ourselves the system says so soon.
    func canLive(in folder: String) -> Bool {
        guard account != nil else { return true }
        var path = folder
        guard may(S_IWOTH, at: path) else { return false }
        while may(S_IXOTH, at: path) {
            guard path != "/", let slash = path.lastIndex(of: "/") else { return true }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return false
    }

    /// - Parameter bit: of those that are nobody special.
    private func may(_ bit: mode_t, at path: String) -> Bool {
        var facts = stat()
        guard let account, stat(path, &facts) == 0 else { return false }
        let place: mode_t = facts.st_uid == account.userID ? 6 : facts.st_gid == account.groupID ? 3 : 0
        return facts.st_mode & (bit << place) != 0
    }

    /// Gives a file or folder to this user.
    func own(_ path: String) throws(PrivatePostgresError) {
        guard let account else { return }
        guard chown(path, account.userID, account.groupID) == 0 else {
            throw PrivatePostgresError("could not give \(path) to the server's user: \(String(cString: strerror(errno)))")
        }
    }
}
