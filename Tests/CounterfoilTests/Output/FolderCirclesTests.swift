// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// The folders of `Sources/VerificationQueue` use each other in one direction, so that each can be read after those that it uses.
@Suite struct FolderCirclesTests {
    @Test func theFoldersOfTheQueueUseEachOtherInOneDirection() throws {
        let uses = FolderUses(try Self.files(in: "Sources/VerificationQueue"))

        #expect(uses.names.count > 10)
        #expect(uses.names["Worker"]?["Settling"]?.contains("Settler") == true)
        #expect(uses.circles == [])
    }

    typealias Files = [(folder: String, text: String)]

    static let circles: [Files] = [
        [("A", "struct First { let second: Second }"), ("B", "struct Second {\n    func find() -> First? { nil }\n}")],
        [("A", "struct First {}\nfunc other(_ first: First) { first.help() }"), ("B", "extension First {\n    func help() {}\n}")],
        [("A", "enum First {\n    static let second = makeSecond()\n}"), ("B", "func makeSecond() -> Any { First.self }")],
        [
            ("A", "struct First { let second: Second? }"), ("B", "struct Second { let third: Third }"),
            ("C", "@frozen package struct Third { var first: [First] }"), ("D", "struct Fourth { let first: First }"),
        ],
    ]

    @Test(arguments: Self.circles)
    func aCircleIsFound(_ files: Files) {
        // Each folder of the circle has one line. D is in none.
        #expect(FolderUses(files).circles.count == min(files.count, 3), "\(FolderUses(files).circles)")
    }

    static let others: [Files] = [
        [("A", "struct First {}"), ("B", "struct Second { let first: First }")],
        [("A", "/// Not a ``Second``.\nstruct First {}  // Second"), ("B", "struct Second { let first: First }")],
        [("A", "let text = \"\"\"\n    Second\n    \"\"\"\nstruct First {}"), ("B", "struct Second { let first: First }")],
        [("A", "struct First {}\nprivate struct Second {}\nlet it: Second"), ("B", "struct Second { let first: First }")],
        [
            ("A", "struct First { let it: (kept: Int, to: Int) }\nlet it = it.kept"),
            ("B", "extension First {\n    var kept: Int { 0 }\n}"),
        ],
        [
            ("A", "struct First {}\nlet it = other.name"), ("B", "extension First {\n    var name: Int { 0 }\n}"),
            ("C", "struct Other { let name: Int }"),
        ],
    ]

    @Test(arguments: Self.others)
    func whatIsNoCircleIsNone(_ files: Files) {
        #expect(FolderUses(files).circles == [])
    }

    private static func files(in path: String) throws -> Files {
        let root = Repository.root.appending(path: path)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }.map { file in
            (String(file.prefix { $0 != "/" }), try String(contentsOf: root.appending(path: file), encoding: .utf8))
        }
    }
}
