// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Rehearsal
import Subprocess

/// A file system of a few hundred MiB in memory, which can be filled to its last byte. Only root may mount it.
///
/// A small process unmounts it when we are gone, however we went: it reads a pipe whose other end only this process holds.
final class SmallDisk: Sendable {
    private static let script = """
        trap '' HUP INT TERM
        cd /
        while read -r line; do :; done
        umount -l "$1"
        rmdir "$1"
        exit 0
        """
    private static let page = 1 << 16

    /// Where it is mounted. Short, since a socket's path is.
    let path: String
    private let task: Task<Void, Never>
    private let release: AsyncStream<Never>.Continuation

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
        return try await endingLast(disk.end) { try await body(disk) }
    }

    private init(mountedAt path: String) {
        self.path = path
        let (held, release) = AsyncStream.makeStream(of: Never.self)
        self.release = release
        // A task of its own: the process lives from here to `end()`, or to the end of this process.
        task = Task {
            do {
                _ = try await Subprocess.run(
                    .name("setsid"), arguments: ["--wait", "sh", "-c", Self.script, "sh", path], input: .inputWriter,
                    output: .discarded, error: .discarded
                ) { execution in
                    for await _ in held {}
                    try await execution.standardInputWriter.finish()
                }
            } catch {
                // Without it the file system stays until somebody unmounts it.
            }
        }
    }

    private func end() async {
        release.finish()
        await task.value
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
