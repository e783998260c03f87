// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import FoundationEssentials
import Glibc
import Rehearsal

/// What `up` leaves for other commands: where its parts are.
///
/// It is a file in the folder of `up`, and locked for as long as everything runs: a file that a crash left behind has no lock.
struct RunningInstallation: Codable, Sendable {
    /// Where a gateway is, and how to speak to it.
    struct GatewayFacts: Codable, Sendable {
        var url: String
        var key: String
        /// Where Apple sends its notifications.
        var notificationURL: String
    }

    /// The URL of each role that a developer may be, with the password.
    var urls: [String: String]
    /// The root of the simulator's control interface.
    var simulatorURL: String
    /// The file of the simulator's authority, in PEM.
    var tlsRoot: String
    var gateway: GatewayFacts?
    var started = Date()

    private static let fileName = "/installation.json"

    /// Lets others find it while `body` lasts.
    ///
    /// - Parameter folder: only we can enter it.
    func findable<Success: Sendable>(in folder: RehearsalFolder, _ body: () async throws -> Success) async throws -> Success {
        let lock = try writeAndLock(in: folder.path)
        defer { close(lock) }
        return try await body()
    }

    /// The newest one of this user's.
    ///
    /// - Throws: ``CommandFailure`` when none runs.
    static func find(in parent: String) throws -> RunningInstallation {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        let running = names.filter { $0.hasPrefix(RehearsalFolder.prefix) }.compactMap { read(in: "\(parent)/\($0)") }
        guard let newest = running.max(by: { $0.started < $1.started }) else {
            throw CommandFailure(
                .databaseUnavailable, "no installation of yours runs in \(parent): start one with counterfoil-dev up")
        }
        return newest
    }

    /// It has its name when it is whole and locked.
    private func writeAndLock(in folder: String) throws -> CInt {
        let path = folder + Self.fileName
        let made = path + ".new"
        guard
            FileManager.default.createFile(
                atPath: made, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600])
        else { throw RehearsalError("could not write \(made)") }
        let descriptor = open(made, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(made, path) == 0 else {
            throw RehearsalError("could not write \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    /// The one of a folder; nil when it doesn't run, or somebody else made the folder.
    private static func read(in folder: String) -> RunningInstallation? {
        // Of a link, its own.
        let owner = (try? FileManager.default.attributesOfItem(atPath: folder))?[.ownerAccountID]
        guard owner as? UInt == UInt(geteuid()) else { return nil }
        let path = folder + fileName
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Self.self, from: $0) }
    }
}
