// SPDX-License-Identifier: Apache-2.0

import Postgres

/// What the queue costs.
final class BenchReport: Report, Codable, Sendable {
    let machine: Machine
    let loadBefore: Double
    let loadAfter: Double
    let postgres: String
    let settings: [String: String]
    let data: String
    let flushMilliseconds: Double
    let seed: UInt64
    let sections: [Section]

    /// Settings that move the figures most.
    private static let settingNames = [
        "autovacuum", "checkpoint_timeout", "fsync", "full_page_writes", "jit", "max_wal_size", "shared_buffers",
        "synchronous_commit", "wal_compression", "wal_level", "work_mem",
    ]

    init(
        settings chosenSettings: [String], place: DataPlace, seed: UInt64, _ database: BenchDatabase, loadBefore: Double,
        _ sections: [Section]
    ) async throws {
        let chosen = chosenSettings.compactMap { $0.split(separator: "=").first.map(String.init) }
        let rows = try await database.pool.execute(
            BenchStatement.readSettings, [.textArray(Self.settingNames + chosen + ["server_version"])])
        var settings: [String: String] = [:]
        for row in rows {
            settings[try row.string(0)] = try row.string(1)
        }
        machine = .current
        self.loadBefore = loadBefore
        loadAfter = Machine.load
        postgres = settings.removeValue(forKey: "server_version") ?? "unknown"
        self.settings = settings
        data = "\(place.parent) (\(place.isMemory ? "tmpfs" : "disk"))"
        flushMilliseconds = FlushProbe.milliseconds(in: place.parent).median
        self.seed = seed
        self.sections = sections
    }

    var surroundings: [String] {
        let changed = settings.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let flush = Measurement.Figure.milliseconds(flushMilliseconds)
        return [
            "PostgreSQL  \(postgres), data on \(data), a flush of 8 KiB \(flush) (median)",
            "settings    \(changed.joined(separator: ", "))",
            "seed        \(seed)",
        ]
    }
}
