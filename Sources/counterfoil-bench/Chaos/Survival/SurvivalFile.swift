// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// `survives.md` on its way between runs: each run is added as soon as it is known, by whichever process.
struct SurvivalFile: Sendable {
    let path: String
    /// The checksum of the sources that the runs are of.
    let sources: String
    let surroundings: SurvivalSurroundings

    /// What stands in the file, if it is of these sources; a new record where there is no file, or it is of others.
    ///
    /// - Throws: where the file is something else.
    func record() throws -> SurvivalRecord {
        guard let bytes = FileManager.default.contents(atPath: path) else { return SurvivalRecord(sources: sources) }
        do {
            return try SurvivalRecord(text: String(decoding: bytes, as: UTF8.self)).of(sources: sources)
        } catch {
            throw BenchError("\(path) is no record of runs: \(error)")
        }
    }

    /// The file is replaced as a whole: whoever is killed meanwhile leaves the one before.
    func add(_ run: SurvivalRun) throws {
        // Another process may add to the same file: nobody reads it while somebody else writes.
        let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, flock(folder, LOCK_EX) == 0 else { throw BenchError("the folder of \(path) can't be opened") }
        defer { close(folder) }
        var record = try record()
        record.add(run)
        try Data(try record.text().utf8).write(to: URL(filePath: path), options: .atomic)
    }
}
