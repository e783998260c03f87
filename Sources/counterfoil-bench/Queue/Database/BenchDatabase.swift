// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import Schema
import Synchronization
import Verification
import VerificationQueue

/// In which order the ids of orders come.
enum OrderIDs: Sendable {
    /// As sequences give them, and ids that begin with a time (UUIDv7, ULID): neighbours in time are neighbours in an index.
    case ascending
    /// As UUIDv4: each falls somewhere else.
    case random(seed: UInt64)

    /// For the statements that make ids.
    var seed: String? {
        switch self {
        case .ascending: nil
        case .random(let seed): String(seed)
        }
    }
}

/// A private server with the schema, four apps, and as many jobs as are asked for.
final class BenchDatabase: Sendable {
    static let bundleIDs = (1...4).map { "com.example.bench\($0)" }
    static let product = BenchProduct.coins.rawValue

    let place: DataPlace
    let server: PrivatePostgresServer
    let processes: ServerProcesses
    let logger: Logger

    /// As superuser.
    let pool: PostgresPool

    private let lastNumber = Mutex<Int64>(0)

    /// Runs `body` with a server that is there for its time only.
    static func withDatabase<Success: Sendable>(
        in place: DataPlace, settings: [String], logger: Logger,
        _ body: (BenchDatabase) async throws -> Success
    ) async throws -> Success {
        try await PrivatePostgresServer.withServer(temporaryParent: place.parent, settings: settings, logger: logger) {
            server in
            guard let processes = ServerProcesses(dataFolder: server.socketFolder + "/data") else {
                throw BenchError("the server's process is not to be found")
            }
            let pool = PostgresPool(
                configuration: try PostgresConfiguration(url: server.url()), size: 2, logger: logger)
            let database = BenchDatabase(
                place: place, server: server, processes: processes, pool: pool, logger: logger)
            return try await endingLast(pool.close) {
                try await database.prepare()
                return try await body(database)
            }
        }
    }

    private init(
        place: DataPlace, server: PrivatePostgresServer, processes: ServerProcesses, pool: PostgresPool,
        logger: Logger
    ) {
        self.place = place
        self.server = server
        self.processes = processes
        self.pool = pool
        self.logger = logger
    }

    /// For workers: the role that the schema makes for them, with its settings.
    var workerURL: String { server.url(user: "counterfoil_worker") }

    private func prepare() async throws {
        let logger = logger
        _ = try await pool.withConnection { connection in
            try await SchemaMigrator(logger: logger).migrate(connection)
        }
        _ = try await pool.execute(BenchStatement.makeOrderIDs)
        for bundleID in Self.bundleIDs {
            _ = try await pool.execute(
                SQLFile.insertApp.statement,
                [
                    .text(bundleID), "listed", .typedNull(.timestamptz), "accept", .typedNull(.timestamptz),
                    .typedNull(.text), .typedNull(.float8), .typedNull(.bool), .typedNull(.bool), .typedNull(.bool),
                    .typedNull(.text),
                ])
            for product in BenchProduct.allCases {
                _ = try await pool.execute(
                    SQLFile.insertProduct.statement, [.text(bundleID), .text(product.rawValue), .text(product.kind.rawValue)])
            }
        }
        // A few grants before the first vacuum: PostgreSQL makes bad plans for tables that it knows to be empty, and a
        // session keeps those of its foreign keys.
        try await insertJobs(try await insertOrders(2_000))
        let script = FloorScript(lanes: try await openLanes(), batch: 100)
        _ = try await Pgbench(server: server).run(script.text, clients: 1, mode: .extended, transactions: 20)
    }

    // MARK: Jobs

    /// Inserts orders and returns their numbers.
    func insertOrders(
        _ count: Int, _ ids: OrderIDs = .ascending, of product: BenchProduct = .coins
    ) async throws -> ClosedRange<Int64> {
        let numbers = takeNumbers(count)
        for part in numbers.parts(of: 20_000) {
            _ = try await pool.execute(
                BenchStatement.insertOrders,
                [.text(ids.seed), .int8(part.lowerBound), .int8(part.upperBound), .text(product.rawValue)])
        }
        return numbers
    }

    /// Inserts orders of one app whose account token is known, and returns their numbers.
    func insertOrders(_ count: Int, of bundleID: String, token: UUID) async throws -> ClosedRange<Int64> {
        let numbers = takeNumbers(count)
        _ = try await pool.execute(
            BenchStatement.insertTokenOrders,
            [.int8(numbers.lowerBound), .int8(numbers.upperBound), .text(bundleID), .uuid(token)])
        return numbers
    }

    private func takeNumbers(_ count: Int) -> ClosedRange<Int64> {
        lastNumber.withLock { last in
            defer { last += Int64(count) }
            return last + 1...last + Int64(count)
        }
    }

    /// Inserts jobs of orders that are there, and returns the ids.
    @discardableResult
    func insertJobs(_ numbers: ClosedRange<Int64>, of product: BenchProduct = .coins) async throws -> [Int64] {
        var ids: [Int64] = []
        for part in numbers.parts(of: 5_000) {
            let rows = try await pool.execute(
                BenchStatement.insertJobs, [.int8(part.lowerBound), .int8(part.upperBound), .text(product.rawValue)])
            for row in rows {
                ids.append(try row.int64(0))
            }
        }
        return ids
    }

    /// Inserts jobs with the given proofs, one an order from the first number on.
    func insertJobs(_ numbers: ClosedRange<Int64>, proofs: [String]) async throws {
        for start in stride(from: 0, to: proofs.count, by: 1_000) {
            let part = proofs[start..<min(start + 1_000, proofs.count)]
            _ = try await pool.execute(
                BenchStatement.insertReceipts,
                [.int8(numbers.lowerBound + Int64(start)), .textArray(Array(part))])
        }
    }

    /// Inserts orders with ids of that kind and their jobs, past the triggers: a backlog quickly made.
    func insertBacklog(_ count: Int, _ ids: OrderIDs) async throws {
        let numbers = try await insertOrders(count, ids)
        for part in numbers.parts(of: 50_000) {
            try await pool.withTransaction { connection in
                _ = try await connection.execute(BenchStatement.skipTriggers)
                _ = try await connection.execute(
                    BenchStatement.insertReadyJobs,
                    [.text(ids.seed), .int8(part.lowerBound), .int8(part.upperBound)], timeout: .seconds(120))
            }
        }
    }

    /// Orders and jobs for a drain, with the tables in the same condition each time: vacuumed, analysed, with their pages already
    /// in the WAL of this checkpoint, and without attempts that a worker would have to count for the dashboards first.
    func fill(_ count: Int, of product: BenchProduct = .coins) async throws {
        try await rollUp()
        _ = try await pool.execute(BenchStatement.checkpoint, timeout: .seconds(300))
        try await insertJobs(try await insertOrders(count, of: product), of: product)
        try await settle()
    }

    /// The tables of the lean floor with that many jobs, in the condition in which ``fill(_:)`` leaves the real ones.
    func fillLeanFloor(_ count: Int) async throws {
        _ = try await pool.execute(BenchStatement.checkpoint, timeout: .seconds(300))
        try await pool.withConnection { connection in
            try await connection.executeScript(BenchStatement.makeLeanTables.sql)
            try await connection.executeScript("truncate lean.jobs")
            _ = try await connection.execute(BenchStatement.fillLeanJobs, [.int8(Int64(count))], timeout: .seconds(300))
            for table in ["jobs", "orders", "grants"] {
                try await connection.executeScript("vacuum (analyze) lean.\(table)")
            }
        }
    }

    func leanGrants() async throws -> Int {
        Int(try await pool.execute(BenchStatement.countLeanGrants)[0].int64(0))
    }

    /// Empties the queue of what a part left over.
    func clear() async throws {
        _ = try await pool.execute(BenchStatement.clearJobs)
    }

    /// Whether the queue holds anything.
    func hasJobs() async throws -> Bool {
        try await pool.execute(BenchStatement.hasJobs)[0].bool(0)
    }

    func settle() async throws {
        _ = try await pool.execute(BenchStatement.vacuumQueue, timeout: .seconds(300))
    }

    /// Counts for the dashboards whatever is due.
    func rollUp() async throws {
        while try await pool.execute(SQLFile.callRollUp.statement, timeout: .seconds(600))[0].int32(0) > 0 {}
    }

    // MARK: Facts

    /// The lanes that claims look into, as a worker sees them.
    func openLanes() async throws -> [LaneID] {
        try await GateStore(pool: pool).list().filter(\.isOpen).map(\.lane)
    }

    func time() async throws -> PostgresTimestamp {
        try await pool.execute(BenchStatement.readTime)[0].timestamp(0)
    }

    /// Runs `body` and tells what it cost the server.
    func cost<Success>(_ body: () async throws -> Success) async throws -> (Success, ServerCost) {
        let grants = try await grants()
        let start = try await time()
        let (success, usage) = try await usage(body)
        let grantsAfter = try await self.grants()
        let batches = try await pool.execute(BenchStatement.measureBatches, [.timestamp(start)])[0]
        let cost = ServerCost(
            granted: grantsAfter - grants, cpuSeconds: usage.cpuSeconds, walBytes: usage.walBytes,
            attempts: Int(try batches.int64(0)), claims: Int(try batches.int64(1)),
            settlements: Int(try batches.int64(2)))
        return (success, cost)
    }

    /// Runs `body` and tells what the server used meanwhile, whatever database was used.
    func usage<Success>(_ body: () async throws -> Success) async throws -> (Success, (cpuSeconds: Double, walBytes: Int)) {
        let wal = try await walPosition()
        let cpu = processes.cpuSeconds
        let success = try await body()
        let cpuAfter = processes.cpuSeconds
        return (success, (cpuAfter - cpu, try await walPosition() - wal))
    }

    private func grants() async throws -> Int {
        Int(try await pool.execute(BenchStatement.countGrants)[0].int64(0))
    }

    private func walPosition() async throws -> Int {
        Int(try await pool.execute(BenchStatement.readWALPosition)[0].int64(0))
    }

    /// - Throws: when a check of the schema finds a row: then what was measured was not the real work.
    func checkInvariants() async throws {
        for check in SQLFile.checks {
            guard try await pool.execute(check.statement, timeout: .seconds(120)).isEmpty else {
                throw BenchError("the check \(check.name) found something: the figures are worth nothing")
            }
        }
    }
}

/// What a part of the run cost the server.
struct ServerCost: Sendable {
    let granted: Int
    let cpuSeconds: Double
    let walBytes: Int
    let attempts: Int
    /// Database transactions in which those attempts were claimed, and settled.
    let claims: Int
    let settlements: Int

    var microsecondsPerJob: Double { cpuSeconds * 1e6 / Double(max(1, granted)) }
    var walBytesPerJob: Double { Double(walBytes) / Double(max(1, granted)) }
    var jobsPerClaim: Double { Double(attempts) / Double(max(1, claims)) }
    var jobsPerSettlement: Double { Double(attempts) / Double(max(1, settlements)) }
}

/// Why a benchmark could not be run or must not be believed.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ClosedRange<Int64> {
    /// The same numbers in ranges of at most `size`.
    func parts(of size: Int64) -> [ClosedRange<Int64>] {
        stride(from: lowerBound, through: upperBound, by: Int64.Stride(size)).map { $0...Swift.min($0 + size - 1, upperBound) }
    }
}
