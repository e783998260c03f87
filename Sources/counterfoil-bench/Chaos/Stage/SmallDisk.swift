// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Glibc
import PrivatePostgres
import Rehearsal
import Subprocess

/// A file system of a few hundred MiB in memory, which can be filled to its last byte. Only root may mount it.
final class SmallDisk: Sendable {
    private static let page = 1 << 16

    /// Where it is mounted. Short, since a socket's path is.
    let path: String
    private let supervisor: Supervisor

    static func withDisk<Success: Sendable>(
        megabytes: Int, _ body: (SmallDisk) async throws -> Success
    ) async throws -> Success {
        var template = Array("/tmp/counterfoil-disk-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("could not make a folder in /tmp") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let (status, _) = try await BenchProcess.run(
            "mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0755", "counterfoil-bench", path])
        guard status.isSuccess else {
            rmdir(path)
            throw BenchError("could not mount a small file system: only root may")
        }
        let disk = SmallDisk(mountedAt: path)
        return try await endingLast(disk.supervisor.end) { try await body(disk) }
    }

    private init(mountedAt path: String) {
        self.path = path
        supervisor = Supervisor(script: #"umount -l "$1"; rmdir "$1"; exit 0"#, arguments: [path])
    }

    /// Takes all that is free, and whatever becomes free, for a while.
    ///
    /// - Returns: how many bytes that were.
    func fill(for duration: Duration) async throws -> Int {
        let ballast = path + "/ballast"
        let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchError("could not make the file that fills the disk") }
        defer {
            unlink(ballast)
            close(file)
        }
        let deadline = ContinuousClock.now + duration
        var size = 0
        while ContinuousClock.now < deadline {
            while posix_fallocate(file, off_t(size), off_t(Self.page)) == 0 { size += Self.page }
            try await Task.sleep(for: .milliseconds(20))
        }
        return size
    }
}
