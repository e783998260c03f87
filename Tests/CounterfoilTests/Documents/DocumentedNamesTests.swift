// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import CommandSupport
@testable import counterfoil

/// What pages name is there: files, commands and their options, variables, and names of code and database.
@Suite struct DocumentedNamesTests {
    /// The parser's description of a command.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let names: [Name]?
        }

        struct Dump: Decodable { let command: Command }

        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        var options: Set<String> {
            Set((arguments ?? []).flatMap { $0.names ?? [] }.map { ($0.kind == "long" ? "--" : "-") + $0.name })
                .union(["--help", "--version"])
        }

        var allOptions: Set<String> { (subcommands ?? []).reduce(options) { $0.union($1.allOptions) } }

        static func describe(_ program: Program.Name) async throws -> Command {
            let ended = try await Program.run(["--experimental-dump-help"], of: program)
            return try JSONDecoder().decode(Dump.self, from: Data(ended.output.utf8)).command
        }

        /// What is wrong with words that follow its name.
        func faults(of words: [String]) -> [String] {
            var command = self
            for word in words {
                if let next = command.subcommands?.first(where: { $0.commandName == word }) {
                    command = next
                } else {
                    let isGroup = command.subcommands?.isEmpty == false
                    if isGroup, word.contains(/^[a-z][a-z\-]*$/) { return ["no command \(word)"] }
                    break
                }
            }
            return words.filter { $0.contains(/^--[a-z]/) }.map { String($0.prefix { $0 != "=" }) }
                .filter { !command.options.contains($0) }.map { "\(command.commandName) has no \($0)" }
        }
    }

    /// Options of other programs that stand alone in a page.
    private static let othersOptions: Set<String> = ["--collector", "--reinstall"]

    /// Names of PostgreSQL, drivers and Patroni, a function of the pages, and a database that a restore makes.
    private static let othersNames: Set<String> = [
        "log_statement", "log_min_duration_statement", "query_timeout", "failsafe_mode", "pg_rewind", "as_support", "shop_damaged",
    ]

    private static func isOfAWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x5f: true
        default: false
        }
    }

    /// The words of all files that are no pages.
    private static func words(below folder: String = "") throws -> Set<String> {
        var words: Set<String> = []
        for file in try Document.files() where file.hasPrefix(folder) && !file.hasSuffix(".md") {
            let data = FileManager.default.contents(atPath: Repository.root.appending(path: file).path)
            let bytes = [UInt8](data ?? Data())
            guard !bytes.contains(0) else { continue }
            let parts = bytes.split { !isOfAWord($0) }
            for part in parts { words.insert(String(decoding: part, as: UTF8.self)) }
        }
        return words
    }

    @Test(.timeLimit(.minutes(3)))
    func everyCommandAndOptionIsThere() async throws {
        let programs = [
            "counterfoil": try await Command.describe(.counterfoil),
            "counterfoil-dev": try await Command.describe(.counterfoilDev),
        ]
        let options = programs.values.reduce(Self.othersOptions) { $0.union($1.allOptions) }
        let wordsOfBench = try Self.words(below: "Sources/counterfoil-bench/")
        func isOfBench(_ option: String) -> Bool {
            let parts = option.dropFirst(2).split(separator: "-")
            let further = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return wordsOfBench.contains(parts.prefix(1).joined() + further.joined())
        }
        var found = 0
        for document in try Document.all() {
            for text in document.codes + document.commandLines where !text.contains("swift build") {
                let call = /(?:^|[\s(\/;|"])(as_worker|as_support|counterfoil-dev|counterfoil)(?=\s)([^|;)`<>&]*)/
                for match in text.matches(of: call) {
                    let program = try #require(programs[match.output.1.hasPrefix("as_") ? "counterfoil" : String(match.output.1)])
                    let words = match.output.2.split(separator: " ").map { String($0).trimmingMarks }
                    found += 1

                    #expect(program.faults(of: words) == [], "\(document.path): \(text)")
                }
            }
            for code in document.codes {
                guard let option = code.firstMatch(of: /^--[a-z][a-z\-]*/).map({ String($0.output) }) else { continue }
                let isThere = options.contains(option) || isOfBench(option)
                #expect(isThere, "\(document.path): \(code)")
            }
        }
        #expect(found > 100)
    }

    @Test func theTestFindsWhatIsNotThere() async throws {
        let program = try await Command.describe(.counterfoil)

        #expect(program.faults(of: ["orders", "assign", "1", "a", "--why", "x"]) == [])
        #expect(program.faults(of: ["orders", "assing"]) == ["no command assing"])
        #expect(program.faults(of: ["orders", "assign", "--reason", "x"]) == ["assign has no --reason"])
    }

    @Test func everyVariableIsThere() throws {
        let known = Set(Variable.all.map(\.name)).union(try Self.words())

        for document in try Document.all() {
            for match in document.text.matches(of: /COUNTERFOIL_[A-Z0-9_]*[A-Z0-9]/) {
                let isThere = known.contains(String(match.output))
                #expect(isThere, "\(document.path): \(match.output)")
            }
        }
    }

    /// By its path, or by its end of a path.
    @Test func everyFileIsThere() throws {
        let files = try Document.files()
        var found = 0
        for document in try Document.all() {
            for code in document.codes {
                let isPath = code.contains(/^(Sources|sql|deploy|Tests)\/[\w.@+\-\/]+$/)
                guard isPath || code.contains(/^[\w@+\-\/]+\.(swift|sql|psql|md)$/) else { continue }
                let path = code.hasSuffix("/") ? String(code.dropLast()) : code
                found += 1

                let isThere = files.contains { $0 == path || $0.hasSuffix("/" + path) }
                #expect(isThere, "\(document.path): \(code)")
            }
        }
        #expect(found > 100)
    }

    /// Tables, columns, functions, constraints, reasons, settings and types.
    @Test func everyNameIsThere() throws {
        let words = try Self.words().union(Self.othersNames)
        var found = 0
        for document in try Document.all() {
            for code in document.codes {
                let name = code.replacing("counterfoil.", with: "").replacing("()", with: "")
                guard name.contains(/^[a-z]+(_[a-z0-9]+)+$/) || name.contains(/^[A-Z][a-z]+([A-Z][a-z]+)+$/) else { continue }
                found += 1

                let isThere = words.contains(name)
                #expect(isThere, "\(document.path): \(code)")
            }
        }
        #expect(found > 500)
    }
}

extension String {
    /// Without quotes and full stops around it.
    fileprivate var trimmingMarks: String {
        let marks: Set<Character> = ["'", "\"", ",", ".", ":"]
        return String(drop { marks.contains($0) }.reversed().drop { marks.contains($0) }.reversed())
    }
}
