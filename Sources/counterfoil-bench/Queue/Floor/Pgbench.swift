// SPDX-License-Identifier: Apache-2.0

import PrivatePostgres
import Subprocess
import VerificationQueue

/// Runs PostgreSQL's own load generator.
struct Pgbench: Sendable {
    /// How statements are sent.
    enum Mode: String, Sendable, CaseIterable {
        /// Parsed and planned anew each time, as the worker's are behind a pooler.
        case extended
        /// Parsed once a connection.
        case prepared
        /// As text, with the values in it.
        case simple
    }

    /// Where it connects, and as whom.
    struct Target: Sendable {
        var host: String
        var port: Int
        var user = "counterfoil_worker"
        var database = "postgres"
        /// Whether each run of the script has a connection of its own.
        var connectsAnew = false
    }

    struct Result: Sendable {
        let clients: Int
        let mode: Mode
        let seconds: Double
        let clientCPUSeconds: Double
    }

    let server: PrivatePostgresServer

    /// Runs a script `transactions` times, divided among the clients; the time is without that of connecting.
    ///
    /// - Parameters:
    ///   - variables: values of the script, by name.
    ///   - target: nil for the server itself, as the worker's role.
    func run(
        _ script: String, clients: Int, mode: Mode, transactions: Int, variables: [String: String] = [:], at target: Target? = nil
    ) async throws -> Result {
        let target = target ?? Target(host: server.socketFolder, port: server.port)
        let path = try BenchFile.temporary("counterfoil-floor.sql", contents: script)
        defer { BenchFile.remove(path) }
        let cpu = ProcessUsage.ofChildren.cpuSeconds
        let (status, text) = try await BenchProcess.run(
            server.toolsFolder + "/pgbench",
            [
                "-n", "-M", mode.rawValue, "-c", "\(clients)", "-j", "\(min(clients, Machine.cores))",
                "-t", "\((transactions + clients - 1) / clients)", "-f", path, "-h", target.host, "-p", "\(target.port)",
                "-U", target.user,
            ] + variables.flatMap { ["-D", "\($0)=\($1)"] } + (target.connectsAnew ? ["-C"] : []) + [target.database])
        guard status.isSuccess,
            let rate = Self.number(after: "tps = ", in: text), rate > 0,
            let done = Self.number(after: "number of transactions actually processed: ", in: text)
        else {
            throw BenchError("pgbench failed (\(status)): \(text)")
        }
        return Result(
            clients: clients, mode: mode, seconds: done / rate,
            clientCPUSeconds: ProcessUsage.ofChildren.cpuSeconds - cpu)
    }

    private static func number(after label: String, in text: String) -> Double? {
        guard let range = text.firstRange(of: label) else { return nil }
        return Double(text[range.upperBound...].prefix { $0.isNumber || $0 == "." })
    }
}
