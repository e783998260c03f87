// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Glibc
import Verification

/// A file with the ids of jobs, one a line: the set that somebody looked at, so that an act changes no others.
enum JobSetFile {
    /// The most jobs of a set.
    static let most = 100_000

    /// - Throws: ``CommandFailure`` if there is such a file, or it can't be written.
    static func write(_ jobs: [JobID], to path: String) throws {
        guard jobs.count <= most else {
            throw CommandFailure(.failure, "more than \(most) jobs match: choose fewer, such as by --since")
        }
        guard let file = fopen(path, "wxe") else {
            throw CommandFailure(.failure, "\(path) can't be made: \(String(cString: strerror(errno)))")
        }
        let text = jobs.map { "\($0.rawValue)\n" }.joined()
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw CommandFailure(.outputLost, "\(path) could not be written") }
    }

    /// - Throws: ``CommandFailure`` of status `badInput` unless each line is the id of a job.
    static func read(_ path: String) throws -> [JobID] {
        let lines = try ProofFile.read(path).split(whereSeparator: \.isNewline)
        let ids = lines.compactMap { Int64($0).map(JobID.init(rawValue:)) }
        guard ids.count == lines.count, ids.count <= most else {
            throw CommandFailure(.badInput, "\(path) isn't a set of jobs: it has an id a line, at most \(most), as --save writes it")
        }
        return ids
    }
}
