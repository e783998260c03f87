// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Glibc
import Verification

/// A file with the ids of what somebody looked at, one a line, so that an act changes nothing else.
enum SetFile {
    /// The most ids of a set.
    static let most = 100_000

    /// - Throws: ``CommandFailure`` if there is such a file, or it can't be written.
    static func write(_ lines: [String], to path: String, narrowing advice: String) throws {
        guard lines.count <= most else { throw CommandFailure(.failure, "more than \(most) match: \(advice)") }
        guard let file = fopen(path, "wxe") else {
            throw CommandFailure(.failure, "\(path) can't be made: \(String(cString: strerror(errno)))")
        }
        let isWritten = fputs(lines.map { $0 + "\n" }.joined(), file) >= 0
        guard fclose(file) == 0, isWritten else { throw CommandFailure(.outputLost, "\(path) could not be written") }
    }

    /// - Throws: ``CommandFailure`` of status `badInput` unless `id` takes each line.
    static func read<ID>(_ path: String, of what: String, _ id: (Substring) -> ID?) throws -> [ID] {
        let lines = try ProofFile.read(path).split(whereSeparator: \.isNewline)
        let ids = lines.compactMap(id)
        guard ids.count == lines.count, ids.count <= most else {
            throw CommandFailure(.badInput, "\(path) isn't a set of \(what): it has an id a line, at most \(most), as --save writes it")
        }
        return ids
    }
}

/// The set of jobs of a dry run.
enum JobSetFile {
    static func write(_ jobs: [JobID], to path: String) throws {
        try SetFile.write(jobs.map { "\($0.rawValue)" }, to: path, narrowing: "choose fewer, such as by --since")
    }

    static func read(_ path: String) throws -> [JobID] {
        try SetFile.read(path, of: "jobs") { Int64($0).map(JobID.init(rawValue:)) }
    }
}
