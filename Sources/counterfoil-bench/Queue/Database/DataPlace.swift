// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc

/// Where a private server keeps its data: a folder below which a temporary one is made.
struct DataPlace: Sendable {
    let parent: String
    let isMemory: Bool

    private static let memory = "/dev/shm"
    /// Room for the backlog of a million jobs with its WAL, and for PostgreSQL's own shared memory.
    private static let room: UInt64 = 6 << 30

    /// Where a server lives that nobody chose a place for.
    static let disk = DataPlace(parent: "/tmp", isMemory: false)

    /// `folder` when one is named; else memory if it has room, else ``disk``.
    static func choose(folder: String?, insistsOnMemory: Bool) throws -> DataPlace {
        if let folder {
            guard folder.hasPrefix("/"), access(folder, W_OK) == 0 else {
                throw ValidationError("--folder must name a folder that can be written, by its absolute path.")
            }
            return DataPlace(parent: folder, isMemory: isMemory(folder))
        }
        if isMemory(memory), freeBytes(memory) >= room {
            return DataPlace(parent: memory, isMemory: true)
        }
        guard !insistsOnMemory else {
            throw ValidationError("\(memory) is not on tmpfs or lacks 6 GiB of room.")
        }
        return disk
    }

    /// Whether the file system that holds a path is tmpfs: see proc(5) on `/proc/mounts`.
    private static func isMemory(_ path: String) -> Bool {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        var holder = (point: "", kind: "")
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count > 2 else { continue }
            let point = fields[1].hasSuffix("/") ? fields[1] : fields[1] + "/"
            // The longest that fits, and of equal ones the last, which covers the others.
            if (path + "/").hasPrefix(point), point.count >= holder.point.count {
                holder = (point, fields[2])
            }
        }
        return holder.kind == "tmpfs"
    }

    /// Room on its file system.
    var freeBytes: UInt64 { Self.freeBytes(parent) }

    private static func freeBytes(_ path: String) -> UInt64 {
        var facts = Glibc.statvfs()
        guard statvfs(path, &facts) == 0 else { return 0 }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }
}
