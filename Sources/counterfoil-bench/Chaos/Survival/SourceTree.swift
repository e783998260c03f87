// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rehearsal
import Subprocess

/// The checked-out or exported tree that this program was built from.
struct SourceTree: Sendable {
    private static let script = "deploy/survives.sh"

    let root: String

    /// The folder above this program that holds the script; else the one that it is run in.
    static func find() throws -> SourceTree {
        var folder = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appending(path: script).path) {
                return SourceTree(root: folder.path)
            }
        }
        let current = FileManager.default.currentDirectoryPath
        guard FileManager.default.fileExists(atPath: current + "/" + script) else {
            throw BenchError("--survives needs the sources: run it in the folder that holds \(script)")
        }
        return SourceTree(root: current)
    }

    /// The checksum of what decides.
    ///
    /// - Throws: also where a program is older than one of these files: then its runs would speak of other sources.
    func checksum(programs: [String]) async throws -> String {
        let built = try programs.map { try modified($0) }.min() ?? .distantFuture
        let files = try await output("survives_sources").split(separator: "\n")
        if let newer = try files.first(where: { try modified(root + "/" + $0) > built }) {
            throw BenchError("\(newer) is newer than the program: build it again")
        }
        let sum = try await output("survives_checksum")
        guard sum.wholeMatch(of: /[0-9a-f]{64}/) != nil else { throw BenchError("\(Self.script) gave no checksum") }
        return sum
    }

    /// The commit in short, with `+` where the sources that decide differ from it; `unknown` without git.
    func commit() async throws -> String {
        try await output(
            """
            commit=$(git rev-parse --short HEAD 2>/dev/null) || { echo unknown; exit 0; }
            [ -z "$(survives_sources | xargs -d '\\n' git status --porcelain --)" ] || commit=$commit+
            echo "$commit"
            """)
    }

    /// What a line of shell prints in the tree, after the script.
    private func output(_ command: String) async throws -> String {
        let (isSuccess, output) = try await run(". ./\(Self.script)\n\(command)")
        guard isSuccess else { throw BenchError("\(Self.script) failed: \(command)") }
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    /// Runs lines of shell in the tree.
    func run(_ command: String) async throws -> (isSuccess: Bool, output: String) {
        let (status, output) = try await BenchProcess.run("sh", ["-c", "cd \"$0\" || exit\n\(command)", root])
        return (status.isSuccess, output)
    }

    private func modified(_ path: String) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes[.modificationDate] as? Date else { throw BenchError("\(path) has no time") }
        return date
    }
}
