// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The reports for psql run as the reader, each by its name.
@Suite struct ReportsTests {
    private static let file = Repository.root.appending(path: "deploy/psql/reports.psql").path

    private func psql(_ shop: Shop, _ input: String) async throws -> (isSuccess: Bool, output: String, errors: String) {
        let result = try await Subprocess.run(
            .name("psql"),
            arguments: [
                "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", shop.database.url(user: "counterfoil_reader"),
            ],
            environment: .inherit, input: .string(input), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return (result.terminationStatus.isSuccess, result.standardOutput, result.standardError)
    }

    @Test(.timeLimit(.minutes(3)))
    func allReportsRun() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")

            let ended = try await psql(shop, "\\i \(Self.file)\n")

            #expect(ended.isSuccess, "\(ended.errors)")
            for title in ["Overview", "What is about to hurt", "Stuck orders", "Paid but not delivered", "Apple", "Workers"] {
                #expect(ended.output.contains(title))
            }
            #expect(ended.output.contains("waiting_jobs"))
            #expect(ended.output.contains("0 alive"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrdersStoryIsTold() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")

            let ended = try await psql(shop, "\\i \(Self.file)\n\\set order '''o'''\n:story\n")

            #expect(ended.isSuccess, "\(ended.errors)")
            #expect(ended.output.contains("1 of coins"))
        }
    }
}
