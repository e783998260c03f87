// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// What a worker answers over HTTP.
struct MetricsPage {
    let status: UInt
    let body: String

    /// Asks a worker that was started with the address `127.0.0.1:0`.
    static func get(_ path: String, of worker: Program.Running) async throws -> MetricsPage {
        let line = try await worker.log.line(containing: "metrics can be read")
        let address = line.split(separator: "address=").last.map(String.init) ?? ""
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://" + address + path), timeout: .seconds(30))
        return MetricsPage(
            status: response.status.code, body: String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    /// Waits until a sample has a value, asking again and again.
    static func wait(for sample: String, of worker: Program.Running) async throws {
        while try await !get("/metrics", of: worker).lines.contains(sample) {
            try Task.checkCancellation()
        }
    }

    var lines: [String] { body.split(separator: "\n").map(String.init) }
}
