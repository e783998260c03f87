// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// The pages of the repository, and those of the package: each link leads somewhere, and each page has a size that is read.
@Suite struct DocumentTests {
    /// The links of pages that lead nowhere.
    private static func deadLinks(in root: URL) throws -> [String] {
        let documents = try Document.all(in: root)
        let anchors = Dictionary(uniqueKeysWithValues: documents.map { ($0.path, $0.anchors) })
        return documents.flatMap { document in
            document.links.compactMap { link in
                let isThere = FileManager.default.fileExists(atPath: root.appending(path: link.path).path)
                if isThere, link.anchor.map({ anchors[link.path]?.contains($0) == true }) ?? true { return nil }
                return "\(document.path): \(link.path)#\(link.anchor ?? "")"
            }
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        #expect(try Document.all().flatMap(\.links).count > 100)
        #expect(try Self.deadLinks(in: Repository.root) == [])
    }

    @Test func linksAndAnchorsAreReadAsTheyAreShown() {
        let page = Document(
            path: "deploy/a.md",
            text: "# A page, in `code`\n[a](../b.md#c) [d](#a-page-in-code)\n```sh\n[no](link)\n```\n")

        #expect(page.links.map(\.path) == ["b.md", "deploy/a.md"])
        #expect(page.links.map(\.anchor) == ["c", "a-page-in-code"])
        #expect(page.anchors == ["a-page-in-code"])
    }

    /// What isn't in the package is no link there.
    @Test(.timeLimit(.minutes(1)))
    func everyLinkOfThePackageLeadsSomewhere() async throws {
        try await TemporaryFolder.with { folder in
            let ended = try await Program.run(
                shell: "cd '\(Repository.root.path)' && deploy/debian/install-documents '\(folder.path)/doc'")
            try #require(ended.status.isSuccess, "\(ended.errors)")
            let root = URL(filePath: folder.path + "/doc")
            let pages = Set(try Document.all(in: root).map(\.path))

            #expect(pages.isSuperset(of: ["README.md", "sql/docs/backend.md", "deploy/RUNBOOK.md", "deploy/recipes/README.md"]))
            #expect(!pages.contains("sql/README.md"))
            #expect(try Self.deadLinks(in: root) == [])
        }
    }

    /// A message, an alert or a page names a heading so: RUNBOOK.md, "Apple fails".
    @Test func everyHeadingThatIsQuotedIsThere() throws {
        let documents = try Document.all()
        var found = 0
        for file in try Document.files() where !file.hasPrefix("Tests/") {
            guard [".md", ".sql", ".swift", ".yml"].contains(where: file.hasSuffix) else { continue }
            for match in try Repository.text(file).matches(of: /([A-Za-z\/.\-]+\.md), \\?"([^"\\]+)\\?"/) {
                let (page, heading) = (String(match.output.1), String(match.output.2).replacing(/\s+/, with: " "))
                let isThere = documents.contains { document in
                    (document.path == page || document.path.hasSuffix("/" + page)) && document.headings.contains(heading)
                }
                found += 1

                #expect(isThere, "\(file): \(page), \(heading)")
            }
        }
        #expect(found > 50)
    }

    /// The runbook is looked up and not read; the record of what was survived is written by a program.
    @Test func aPageIsReadInOneSitting() throws {
        let limits = ["README.md": 9, "sql/docs/backend.md": 8]
        for document in try Document.all() where document.path != "deploy/RUNBOOK.md" && !document.path.hasSuffix("/survives.md") {
            #expect(document.text.utf8.count <= limits[document.path, default: 15] * 1024, "\(document.path)")
        }
    }

    /// Its sessions are read-only on a primary too, which `read-write` takes for no primary.
    @Test func aURLOfTheReaderIsOneThatItCanUse() throws {
        let kinds = try Document.all().flatMap { document in
            document.text.matches(of: /counterfoil_reader@[^\s`]*target_session_attrs=([a-z\-]+)/).map { String($0.output.1) }
        }

        #expect(!kinds.isEmpty)
        #expect(Set(kinds).isSubset(of: ["primary", "standby", "prefer-standby"]))
    }
}
