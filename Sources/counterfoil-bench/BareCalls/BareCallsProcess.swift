// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess

/// Starts this program again to make bare calls.
enum BareCallsProcess {
    static func run(_ plan: BareCallsPlan) async throws -> BareCallsReport {
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        let ownPath = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let (status, output) = try await BenchProcess.run(ownPath, ["bare-calls", "--plan", text])
        guard status.isSuccess else {
            throw BenchError("the bare calls failed (\(status))")
        }
        return try JSONDecoder().decode(BareCallsReport.self, from: Data(output.utf8))
    }
}
