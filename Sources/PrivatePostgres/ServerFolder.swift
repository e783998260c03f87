// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Where a private server keeps its data, socket and log; nobody else can enter it.
struct ServerFolder: Sendable {
    let path: String
    /// Whether it goes with the server.
    let isTemporary: Bool

    var data: String { path + "/data" }
    var log: String { path + "/server.log" }
    var isInitialized: Bool { FileManager.default.fileExists(atPath: data + "/PG_VERSION") }

    /// Makes the folder if it isn't there, open to `user` only.
    ///
    /// - Parameters:
    ///   - path: nil: a new one for temporary use.
    ///   - temporaryParent: where that one is made.
    static func make(
        _ path: String?, temporaryParent: String, for user: ServerUser
    ) throws(PrivatePostgresError) -> ServerFolder {
        let folder: ServerFolder
        if let path {
            guard path.hasPrefix("/") else {
                throw PrivatePostgresError("the folder of a private server must be an absolute path, not \(path)")
            }
            folder = ServerFolder(path: path, isTemporary: false)
            if mkdir(path, 0o700) == 0 {
                try user.own(path)
            } else if errno != EEXIST {
                throw PrivatePostgresError("could not make \(path): \(String(cString: strerror(errno)))")
            }
        } else {
            folder = ServerFolder(path: try makeTemporary(in: temporaryParent), isTemporary: true)
            try user.own(folder.path)
        }
        guard isShortEnough(folder.path) else {
            throw PrivatePostgresError("the path \(folder.path) is too long for a Unix socket in it")
        }
        return folder
    }

    /// Replaces a file that the server reads.
    func write(_ text: String, to name: String, for user: ServerUser) throws(PrivatePostgresError) {
        let path = data + "/" + name
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw PrivatePostgresError("could not write \(path): \(error)")
        }
        try user.own(path)
    }

    /// The last lines of the server's log.
    func logTail() -> String {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return "" }
        return text.split(separator: "\n").suffix(20).joined(separator: "\n")
    }

    /// Whether a socket can be in a folder: its address has 108 bytes.
    static func isShortEnough(_ path: String) -> Bool { path.utf8.count <= 80 }

    /// As long as the path of a temporary folder.
    static func template(in parent: String) -> String { parent + "/counterfoil-postgres-XXXXXX" }

    private static func makeTemporary(in parent: String) throws(PrivatePostgresError) -> String {
        var template = Array(template(in: parent).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PrivatePostgresError("could not make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
