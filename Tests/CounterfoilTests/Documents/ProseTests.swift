// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// How comments and pages are written.
@Suite struct ProseTests {
    private static let longestLine = 132

    /// The numbers of the lines of comment that are too long. A row of a table can't be broken.
    private static func overlongComments(in text: String, _ marker: String) -> [Int] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let code = line.drop { $0 == " " }
            guard line.count > longestLine, code.hasPrefix(marker), !code.hasPrefix("/// |") else { return nil }
            return index + 1
        }
    }

    @Test(arguments: ["Sources", "Tests", "sql"])
    func everyLineOfACommentIsShort(_ folder: String) throws {
        var compared = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path) {
            guard path.hasSuffix(".swift") || path.hasSuffix(".sql"), path != "schema.sql" else { continue }
            let text = try Repository.text("\(folder)/\(path)")
            compared += 1

            #expect(Self.overlongComments(in: text, path.hasSuffix(".sql") ? "--" : "//") == [], "\(folder)/\(path)")
        }
        #expect(compared > 100)
    }

    @Test func aLongLineOfACommentIsFound() {
        let long = String(repeating: "a ", count: 70)

        #expect(Self.overlongComments(in: "//\n    /// \(long)\n/// | \(long)\nlet a = \"\(long)\"", "//") == [2])
        #expect(Self.overlongComments(in: "-- a\n-- \(long)", "--") == [2])
    }

    /// The sentences, not the questions and headings, that begin with a word whose noun comes late.
    private static func lateSubjects(in prose: String) -> [String] {
        prose.replacing(/`[^`]*`/, with: "x").split(separator: "\n\n").flatMap { paragraph in
            paragraph.replacing("\n", with: " ").matches(of: /(?:^|[.!?] |[|] |- )((?:What|Whose|Of) [^.?|]*\.)/)
                .map { String($0.output.1) }
        }
    }

    @Test func sentencesOfPagesBeginWithTheirSubject() throws {
        let pages = try Document.all().filter { $0.path.hasPrefix("sql/docs/") }
        #expect(pages.count > 10)
        for page in pages {
            #expect(Self.lateSubjects(in: page.prose) == [], "\(page.path)")
        }
    }

    @Test func aLateSubjectIsFound() {
        let prose =
            "# What it does\n\nA table. Of these\none is ours.\n\n| What | Whose? |\n| What `a.b` is. | a |\n\n"
            + "What next?\n- Whose it is. A\n"

        #expect(Self.lateSubjects(in: prose) == ["Of these one is ours.", "What x is.", "Whose it is."])
    }
}
