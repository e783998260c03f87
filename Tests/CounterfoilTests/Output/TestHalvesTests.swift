// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Which half of the tests a target belongs to: `Tests/README.md`.
@Suite struct TestHalvesTests {
    @Test func testTargetsOfTheProgramsAreNamedSo() throws {
        let programs = try Repository.text("Package.swift").matches(of: /\.executableTarget\(\s*name: "([^"]+)"/)
            .map { "\"\($0.output.1)\"" }
        let targets = try Repository.text("Package.swift").split(separator: ".testTarget(").dropFirst()

        #expect(programs.count >= 2)
        #expect(targets.count > 5)
        for target in targets {
            let target = target.prefix(upTo: target.firstRange(of: "swiftSettings")?.lowerBound ?? target.endIndex)
            let name = try #require(target.firstMatch(of: /name: "([^"]+)"/)).output.1
            #expect(programs.contains(where: target.contains) == name.hasPrefix("Counterfoil"), "\(name)")
        }
    }

    @Test func theScriptRunsBothHalves() throws {
        let script = try Repository.text("deploy/test")

        #expect(script.contains(#"programs='Counterfoil|"#))
        #expect(script.contains(#"run_half libraries $((cores * 2)) "^($programs)""#))
        #expect(script.contains(#"run_half programs "$cores" "^(?!$programs)""#))
    }
}
