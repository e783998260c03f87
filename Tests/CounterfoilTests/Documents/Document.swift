// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport

/// A page for people: its headings, links, and what stands in it as code.
struct Document: Sendable {
    /// From the root of its repository or package.
    let path: String
    let text: String

    /// All that is outside of code blocks.
    let prose: String

    /// The lines of its blocks of shell commands, each with those that continue it.
    let commandLines: [String]

    let headings: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        var prose = ""
        var commandLines: [String] = []
        var headings: [String] = []
        var language: Substring?
        var begun = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = line.drop { $0 == " " }
            if code.hasPrefix("```") {
                language = language == nil ? code.dropFirst(3) : nil
            } else if let language {
                guard language == "sh" else { continue }
                if code.hasSuffix("\\") {
                    begun += code.dropLast() + " "
                } else {
                    commandLines.append(begun + code)
                    begun = ""
                }
            } else {
                prose += line + "\n"
                if let heading = line.firstMatch(of: /^#+ (.+)$/) { headings.append(String(heading.output.1)) }
            }
        }
        self.prose = prose
        self.commandLines = commandLines
        self.headings = headings
    }

    /// What stands between backticks.
    var codes: [String] {
        prose.matches(of: /`([^`]+)`/).map { String($0.output.1).replacing(/\s+/, with: " ") }
    }

    /// Links within the repository: the file, or this page, and the heading.
    var links: [(path: String, anchor: String?)] {
        let targets = prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }.filter { !$0.contains(":") }
        return targets.map { target -> (path: String, anchor: String?) in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (
                path: parts[0].isEmpty ? path : Self.resolved(parts[0], from: path), anchor: parts.count == 2 ? parts[1] : nil
            )
        }
    }

    /// As GitHub makes them of headings.
    var anchors: Set<String> {
        Set(
            headings.map { heading in
                heading.replacing(/\[([^\]]*)\]\([^)]*\)/, with: { $0.output.1 }).lowercased()
                    .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
            })
    }

    private static func resolved(_ target: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            if part == ".." {
                _ = parts.popLast()
            } else if part != "." {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}

extension Document {
    /// Every file below a folder, but for hidden ones of the folder itself, which hold builds and history.
    static func files(in root: URL = Repository.root) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { !$0.hasPrefix(".") }
        return names.flatMap { name in
            // A file has none.
            let below = (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: name).path)) ?? []
            return [name] + below.map { name + "/" + $0 }
        }
    }

    /// Every page below a folder.
    static func all(in root: URL = Repository.root) throws -> [Document] {
        try files(in: root).filter { $0.hasSuffix(".md") }.map { path in
            Document(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }
}
