// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import counterfoil_bench

/// `deploy/survives.sh` and the scripts that ask it, in a small tree with these scripts and a `swift` that builds nothing.
@Suite struct SurvivalScriptTests {
    /// What decides, in that tree.
    private static let sources = [
        "Sources/CPostgres/module.modulemap", "Sources/CPostgres/shim.h",
        "Sources/Delivering/SQL/Reading/read_page.sql", "Sources/EventSources/A.swift",
        "Sources/Postgres/Connection/A.swift", "Sources/Verification/A.swift", "Sources/VerificationQueue/Settling/A.swift",
        "Sources/Webhooks/Sending/A.swift", "sql/Schema.swift", "sql/migrations/0001_tables.sql", "sql/operator/lock_order.sql", "sql/settling/insert_grants.sql",
    ]
    private static let others = [
        "Sources/AppStore/A.swift", "Sources/counterfoil-bench/README.md", "Sources/Verification/notes.md", "sql/README.md",
        "sql/checks/a.sql", "sql/dashboards/a.sql", "sql/schema.sql", "sql/show/a.sql",
    ]
    private static let survives = "Sources/counterfoil-bench/survives.md"

    /// A tree of its own, gone when the test is.
    private final class Tree: Sendable {
        let path: String

        init(isUnderGit: Bool = true) async throws {
            path = try BenchFile.folder()
            for file in SurvivalScriptTests.sources + SurvivalScriptTests.others { try write("of \(file)\n", to: file) }
            for script in ["survives.sh", "common.sh", "build-deb", "test"] {
                try write(Repository.text("deploy/\(script)"), to: "deploy/\(script)")
            }
            try write("#!/bin/sh\n", to: "deploy/model")
            try write(Repository.text("Sources/CommandSupport/Version.swift"), to: "Sources/CommandSupport/Version.swift")
            try write("#!/bin/sh\necho installed\n", to: "bin/dpkg-query")
            try write(
                """
                #!/bin/sh
                case $1 in
                    --version) echo 'Swift version 6.3 (of a test)' ;;
                    test) echo '✔ Test a() passed after 0.001 seconds.' ;;
                    package) echo 'swift resolves packages' && exit 42 ;;
                esac

                """, to: "bin/swift")
            _ = try await run("chmod +x bin/* deploy/model deploy/test deploy/build-deb")
            if isUnderGit {
                let commit = "git -c user.name=a -c user.email=a@example.com commit --quiet --message first"
                #expect(try await run("git init --quiet && git add . && \(commit)").isSuccess)
            }
        }

        deinit { BenchFile.remove(path) }

        func commit() async throws -> String { try await SourceTree(root: path).commit() }

        func checksum(programs: [String]) async throws -> String {
            try await SourceTree(root: path).checksum(programs: programs.map { path + "/" + $0 })
        }

        func write(_ text: String, to file: String) throws {
            let url = URL(filePath: path + "/" + file)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        /// A record without runs, of the sources as they are now.
        func writeRecord() async throws {
            try write(SurvivalRecord(sources: try await checksum()).text(), to: SurvivalScriptTests.survives)
        }

        func checksum() async throws -> String {
            let (isSuccess, output) = try await run(". deploy/survives.sh && survives_checksum")
            #expect(isSuccess, "\(output)")
            return output.filter { $0 != "\n" }
        }

        /// Runs a line of shell there, with all that it prints.
        func run(_ command: String) async throws -> (isSuccess: Bool, output: String) {
            try await SourceTree(root: path).run("exec 2>&1; PATH=$PWD/bin:$PATH; \(command)")
        }
    }

    @Test func theSourcesAreThoseThatGitHas() async throws {
        let tree = try await Tree()

        let listed = try await tree.run(". deploy/survives.sh && survives_sources")
        let known = try await tree.run("git ls-files -- \(Self.sources.joined(separator: " "))")

        #expect(listed.output == known.output)
        #expect(listed.output.split(separator: "\n").count == Self.sources.count)
    }

    @Test func anExportedTreeHasTheSameChecksum() async throws {
        let (exported, cloned) = (try await Tree(isUnderGit: false), try await Tree())

        #expect(try await exported.checksum() == cloned.checksum())
        #expect(try await exported.checksum().wholeMatch(of: /[0-9a-f]{64}/) != nil)
    }

    @Test(arguments: sources) func whatDecidesIsInTheChecksum(file: String) async throws {
        let tree = try await Tree(isUnderGit: false)
        let before = try await tree.checksum()

        try tree.write("changed\n", to: file)

        #expect(try await tree.checksum() != before)
    }

    @Test func aFileThatGitDoesNotKnowIsInTheChecksum() async throws {
        let tree = try await Tree()
        let before = try await tree.checksum()

        try tree.write("new\n", to: "Sources/VerificationQueue/New.swift")

        #expect(try await tree.checksum() != before)
    }

    @Test(arguments: others) func documentsAndWhatOnlyShowsAreNot(file: String) async throws {
        let tree = try await Tree(isUnderGit: false)
        let before = try await tree.checksum()

        try tree.write("changed\n", to: file)

        #expect(try await tree.checksum() == before)
    }

    @Test func aTreeWithoutTheFoldersHasNoChecksum() async throws {
        let tree = try await Tree(isUnderGit: false)

        #expect(try await !tree.run("rm -r sql && . deploy/survives.sh && survives_checksum 2>/dev/null").isSuccess)
    }

    @Test func deployTestPrintsWhetherTheRunsAreOfTheseSources() async throws {
        let tree = try await Tree()
        try await tree.writeRecord()

        let same = try await tree.run("deploy/test")
        try tree.write("changed\n", to: Self.sources[0])
        let changed = try await tree.run("deploy/test")
        try FileManager.default.removeItem(atPath: tree.path + "/" + Self.survives)
        let without = try await tree.run("deploy/test")

        #expect(same.output.contains("\(Self.survives) speaks of these sources: "), "\(same.output)")
        #expect(changed.output.contains("\(Self.survives) speaks of other sources: "), "\(changed.output)")
        #expect(without.output.contains("\(Self.survives) speaks of other sources: none, and these are "), "\(without.output)")
        #expect(same.isSuccess && changed.isSuccess && without.isSuccess)
    }

    /// The tag of the version, as it is or with a v, on this commit or an older one; any tag of this commit.
    @Test(arguments: ["v0.1.0", "0.1.0", "v0.1.0 HEAD~", "release"])
    func aTaggedVersionIsNotBuiltFromSourcesThatNoRunsAreOf(tag: String) async throws {
        let tree = try await Tree()
        try await tree.writeRecord()
        try tree.write("changed\n", to: Self.sources[0])
        let commit = "git -c user.name=a -c user.email=a@example.com commit --quiet --message second --all"
        #expect(try await tree.run("\(commit) && git tag \(tag)").isSuccess)

        let refused = try await tree.run("deploy/build-deb")
        try await tree.writeRecord()
        let built = try await tree.run("deploy/build-deb")

        #expect(!refused.isSuccess)
        #expect(refused.output.contains("\(Self.survives) speaks of other sources: "), "\(refused.output)")
        #expect(!refused.output.contains("swift resolves packages"))
        #expect(built.output.contains("swift resolves packages"), "\(built.output)")
    }

    @Test func aVersionWithoutATagIsBuilt() async throws {
        let tree = try await Tree()
        let commit = "git -c user.name=a -c user.email=a@example.com commit --quiet --message second --allow-empty"
        #expect(try await tree.run("git tag v0.0.9 && \(commit)").isSuccess)

        let built = try await tree.run("deploy/build-deb")

        #expect(built.output.contains("speaks of other sources: none"), "\(built.output)")
        #expect(built.output.contains("swift resolves packages"))
    }

    @Test func theChecksumOfThisTreeIsComputed() async throws {
        let sum = try await SourceTree(root: Repository.root.path).checksum(programs: [])

        #expect(sum.count == 64)
    }

    @Test func aProgramThatIsOlderThanASourceSaysNothing() async throws {
        let tree = try await Tree()
        try tree.write("a program", to: "program")
        #expect(try await tree.run("touch -d 2020-01-01 program && touch -d 2026-01-01 \(Self.sources[3])").isSuccess)

        await #expect(throws: BenchError.self) { _ = try await tree.checksum(programs: ["program"]) }

        #expect(try await tree.run("touch -d 2050-01-01 program").isSuccess)
        #expect(try await tree.checksum(programs: ["program"]) == tree.checksum())
    }

    @Test func aCommitIsMarkedWhereTheSourcesDifferFromIt() async throws {
        let (tree, exported) = (try await Tree(), try await Tree(isUnderGit: false))
        let clean = try await tree.commit()
        try tree.write("changed\n", to: Self.others[0])
        let beside = try await tree.commit()
        try tree.write("changed\n", to: Self.sources[0])

        #expect(clean.wholeMatch(of: /[0-9a-f]{7,}/) != nil)
        #expect(beside == clean)
        #expect(try await tree.commit() == clean + "+")
        #expect(try await exported.commit() == "unknown")
    }
}
