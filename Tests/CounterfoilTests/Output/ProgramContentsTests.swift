// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess
import TestSupport
import Testing

/// The production program can't forge, play or start anything: what does is not in it.
@Suite struct ProgramContentsTests {
    /// Targets of the program for developers alone.
    private static let forbidden = ["AppStoreSimulator", "Rehearsal", "PrivatePostgres"]

    @Test(.timeLimit(.minutes(3)))
    func theProductionProgramDependsOnNothingForDevelopers() async throws {
        let description = try await PackageDescription.read()

        let production = try description.targets(below: "counterfoil")
        let developers = try description.targets(below: "counterfoil-dev")

        #expect(production.isSuperset(of: ["counterfoil", "CommandSupport", "VerificationQueue", "AppStore"]))
        #expect(production.isDisjoint(with: Self.forbidden))
        // The same question about the other program finds all of them.
        #expect(developers.isSuperset(of: Self.forbidden))
    }

    @Test func aProgramIsMadeOfItsOwnTarget() async throws {
        let description = try await PackageDescription.read()

        #expect(description.products.first { $0.name == "counterfoil" }?.targets == ["counterfoil"])
        #expect(description.products.first { $0.name == "counterfoil-dev" }?.targets == ["counterfoil-dev"])
    }

    @Test(.timeLimit(.minutes(3)), arguments: forbidden)
    func theProductionProgramHasNoSymbolForDevelopers(module: String) async throws {
        #expect(try await Self.symbols(of: module, in: .counterfoil) == [])
        // They are found where they are.
        #expect(try await Self.symbols(of: module, in: .counterfoilDev).count > 3)
    }

    @Test(.timeLimit(.minutes(3)))
    func theProductionProgramIsNotStripped() async throws {
        #expect(try await Self.symbols(of: "VerificationQueue", in: .counterfoil).count > 3)
    }

    /// The key of the App Store Server API, and that of the gateway's certificate: no other private key is named in the sources of
    /// the production program.
    @Test(.timeLimit(.minutes(3)))
    func noOtherPrivateKeyIsUsed() async throws {
        let description = try await PackageDescription.read()
        var found: Set<String> = []
        for target in try description.targets(below: "counterfoil") {
            for file in try Self.sources(of: target, in: description) {
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
                for match in text.matches(of: /(?:\w+\.)*\w*PrivateKey\b/) {
                    found.insert("\(file.split(separator: "/").last ?? ""): \(match.output)")
                }
            }
        }

        #expect(found == ["SigningKey.swift: P256.Signing.PrivateKey", "TLSIdentity.swift: NIOSSLPrivateKey"])
    }

    /// Mangled names that belong to a module, or mention one of its types: they hold its name after its length.
    private static func symbols(of module: String, in program: Program.Name) async throws -> [Substring] {
        let result = try await Subprocess.run(
            .name("nm"), arguments: [program.path], output: .string(limit: 1 << 28), error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        let mangled = "\(module.utf8.count)\(module)"
        return result.standardOutput.split(separator: "\n").filter { line in
            line.ranges(of: mangled).contains { range in
                // Not the end of a longer number.
                range.lowerBound == line.startIndex || !line[line.index(before: range.lowerBound)].isNumber
            }
        }
    }

    private static func sources(of target: String, in description: PackageDescription) throws -> [String] {
        let path = description.targets.first { $0.name == target }?.path ?? "Sources/\(target)"
        let folder = Repository.root.appending(path: path).path
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }
            .map { folder + "/" + $0 }
    }
}

/// The manifest as SwiftPM evaluates it.
private struct PackageDescription: Decodable {
    struct Product: Decodable {
        let name: String
        let targets: [String]
    }

    struct Target: Decodable {
        let name: String
        let path: String?
        let dependencies: [Dependency]
    }

    /// By one of three keys: a target, a product of a package, or a name that is either.
    struct Dependency: Decodable {
        /// The target or product; the other parts are a package and conditions.
        let name: String
        let isProduct: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            guard let key = container.allKeys.first, container.allKeys.count == 1 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a dependency of \(container.allKeys.count) kinds"))
            }
            var parts = try container.nestedUnkeyedContainer(forKey: key)
            name = try parts.decode(String.self)
            isProduct = key == .product
        }

        private enum Key: String, CodingKey { case byName, target, product }
    }

    let products: [Product]
    let targets: [Target]

    /// Evaluates the manifest. In a folder of its own: the one that the tests were built in is locked while they run.
    static func read() async throws -> PackageDescription {
        try await TemporaryFolder.with { folder in
            let result = try await Subprocess.run(
                .name("swift"),
                arguments: [
                    "package", "--package-path", Repository.root.path, "--scratch-path", folder.path, "dump-package",
                ], output: .string(limit: 1 << 24), error: .string(limit: 1 << 20))
            try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
            return try JSONDecoder().decode(PackageDescription.self, from: Data(result.standardOutput.utf8))
        }
    }

    /// A target, and all of this package that it depends on.
    func targets(below name: String) throws -> Set<String> {
        let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var found: Set<String> = []
        var left = [name]
        while let next = left.popLast() {
            guard found.insert(next).inserted else { continue }
            let target = try #require(byName[next], "there is no target \(next)")
            left += target.dependencies.filter { !$0.isProduct }.map(\.name).filter { byName[$0] != nil }
        }
        return found
    }
}
