// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Gateway
import Logging
import NIOCore
import NIOHTTP1
import Postgres
import Schema
import ServiceLifecycle
import TestSupport
import Testing
import VerificationQueue

/// A gateway over real sockets on a database of its own, with one app.
struct GatewayHost: Sendable {
    static let bundle = "com.example.game"

    /// The shared one has eight connections to a host, and others wait.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let database: MigratedDatabase
    let gateway: Gateway
    let pool: PostgresPool
    /// For all apps and all uses.
    let key: String
    let stop: @Sendable () async -> Void

    static func with(
        limits: GatewayLimits = GatewayLimits(), deadlines: ConnectionDeadlines = ConnectionDeadlines(),
        shop: GatewayAddress? = .network(host: "127.0.0.1", port: 0), tls: TLSFiles? = nil, signed: Set<String> = [],
        _ body: @escaping @Sendable (GatewayHost) async throws -> Void
    ) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { admin in
                try await admin.executeScript(
                    """
                    insert into counterfoil.apps (bundle_id) values ('\(bundle)'), ('com.example.other');
                    insert into counterfoil.products (bundle_id, product_id, kind) values ('\(bundle)', 'coins', 'consumable')
                    """)
            }
            var configuration = GatewayConfiguration()
            configuration.limits = limits
            configuration.deadlines = deadlines
            configuration.shopAddress = shop
            configuration.appleAddress = .network(host: "127.0.0.1", port: 0)
            if let tls { configuration.tls = [.shop: tls, .apple: tls] }
            let postgres = try PostgresConfiguration(url: database.url(user: "counterfoil_gateway"))
            let pool = PostgresPool(configuration: postgres, size: 8, logger: .test)
            let gateway = try Gateway(
                configuration, pool: pool, listening: postgres, logger: .test, isSignedByApple: { signed.contains($0) })
            let group = ServiceGroup(configuration: .init(services: [gateway], logger: .test))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                for await _ in gateway.readiness { break }
                try await eventually("the gateway listens") { gateway.snapshot().isListening }
                let host = GatewayHost(
                    database: database, gateway: gateway, pool: pool, key: try await addKey(database),
                    stop: { await group.triggerGracefulShutdown() })
                do {
                    try await body(host)
                } catch {
                    await group.triggerGracefulShutdown()
                    try? await tasks.waitForAll()
                    await pool.close()
                    throw error
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                await pool.close()
            }
        }
    }

    /// Adds a key as `counterfoil keys add` does.
    static func addKey(
        _ database: MigratedDatabase, scopes: [String] = ["feed", "orders", "read"], bundles: [String]? = nil,
        expiresIn: Double? = nil
    ) async throws -> String {
        let key = GatewayKey()
        try await database.withConnection(as: "counterfoil_support") { support in
            let rows = try await support.execute(
                SQLFile.insertKey.statement,
                [
                    .bytes(key.hash), .text(key.prefix), .text("key \(key.prefix)"), .textArray(scopes),
                    bundles.map { .textArray($0) } ?? .typedNull(.textArray), "tester", .double(expiresIn), .bool(true),
                ])
            try #require(rows.count == 1)
        }
        return key.text
    }

    func port(_ audience: Route.Audience = .shop) throws -> Int { try #require(gateway.port(of: audience)) }

    struct Reply: Sendable {
        let status: Int
        let headers: [String: String]
        let json: JSONValue
        let text: String

        /// The problem's name.
        var problem: String? { json["type"]?.text.map { String($0.dropFirst("/problems/".count)) } }
    }

    /// Sends a request, and holds its answer against the document.
    @discardableResult
    func call(
        _ method: String, _ target: String, json: String? = nil, body: [UInt8]? = nil, account: String? = "ann",
        key: String?? = nil, headers: [String: String] = [:], at audience: Route.Audience = .shop, by client: HTTPClient? = nil
    ) async throws -> Reply {
        var request = HTTPClientRequest(url: "\(client == nil ? "http" : "https")://127.0.0.1:\(try port(audience))\(target)")
        request.method = .RAW(value: method)
        if let key = key ?? self.key { request.headers.add(name: "authorization", value: "Bearer \(key)") }
        if let account { request.headers.add(name: "counterfoil-account", value: account) }
        if let json {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: json))
        }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        let response = try await (client ?? Self.client).execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 24)
        let reply = Reply(
            status: Int(response.status.code),
            headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first },
            json: (try? JSONDecoding.value(bytes)) ?? .null, text: String(buffer: bytes))
        try OpenAPIValidation.check(reply, to: method, target, at: audience)
        return reply
    }

    static func order(_ more: String = "") -> String { #"{"bundle_id":"\#(bundle)","product_id":"coins"\#(more)}"# }

    func run(_ script: String) async throws {
        try await database.withConnection { try await $0.executeScript(script) }
    }

    func value(_ query: String) async throws -> String? {
        try await database.withConnection { try await $0.execute("select (\(query))::text").first?.optionalString(0) }
    }

    /// What a worker's verdict does: the job is over, and the order has another answer.
    func reject(_ order: String) async throws {
        try await run(
            """
            delete from counterfoil.jobs where order_id = '\(order)';
            update counterfoil.orders set state = 'rejected', reason = 'malformed_proof', version = version + 1 where order_id = '\(order)';
            notify counterfoil_changes
            """)
    }
}
