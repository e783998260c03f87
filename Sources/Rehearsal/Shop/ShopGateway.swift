// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
package import Gateway
import NIOCore
import NIOHTTP1
package import Postgres
import Schema
import VerificationQueue

/// The shop's way to its orders where it has no route to the database: the gateways' HTTP.
///
/// Any gateway may answer. What none answered is sent again, to the next one: it may have been carried out, and does no harm twice.
package final class ShopGateway: Sendable {
    /// A problem that another try doesn't change.
    package struct Refusal: Error, CustomStringConvertible {
        package let status: Int
        /// The problem's name.
        package let name: String
        /// The rule of the database that was broken.
        package let rule: String?

        package var description: String { "the gateway answered \(status) \(name)" + (rule.map { " (\($0))" } ?? "") }
    }

    /// A gateway's order, as far as a client acts by it.
    struct Order: Decodable {
        let orderId: String
        let state: String
        let reason: String?
        let clientAction: String
        let transactionId: String?
        let environment: String?
        let nextAttemptAt: String?
        let jobId: String?
    }

    private struct Problem: Decodable {
        let type: String
        let rule: String?
    }

    private struct NewOrder: Encodable {
        let bundleId: String
        let productId: String
        let quantity: Int
        let appAccountToken: UUID?
        let recovery: Bool?
        let proof: String?
    }

    private struct OrderList: Decodable {
        let orders: [Order]
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private static let callTimeout = TimeAmount.seconds(35)
    private static let pause = Duration.milliseconds(100)

    private let client: HTTPClient
    private let urls: [String]
    private let keys: [GatewayKey]
    private let patience: Duration

    /// - Parameters:
    ///   - urls: of the gateways.
    ///   - keys: those of the shop's servers. Each may call 200 times a second.
    ///   - patience: how long a call is tried again while no gateway, or none with a database, answers.
    package init(urls: [String], keys: [GatewayKey], patience: Duration) {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 500
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.urls = urls
        self.keys = keys
        self.patience = patience
    }

    package func close() async { try? await client.shutdown() }

    /// Makes keys for everything.
    package static func addKeys(_ count: Int, named name: String, _ support: PostgresPool) async throws -> [GatewayKey] {
        var keys: [GatewayKey] = []
        for _ in 0..<count {
            let key = GatewayKey()
            _ = try await support.execute(
                SQLFile.insertKey.statement,
                [
                    .bytes(key.hash), .text(key.prefix), .text(name), .textArray(["feed", "orders", "read"]),
                    .typedNull(.textArray),
                    .text("rehearsal"), .typedNull(.float8), .bool(true),
                ])
            keys.append(key)
        }
        return keys
    }

    /// Makes the order unless it exists; with a proof, adds that.
    func put(_ order: PlannedOrder, proof: String? = nil, recovers: Bool = false) async throws {
        let body = NewOrder(
            bundleId: order.app.bundleID, productId: order.product.productID, quantity: order.quantity,
            appAccountToken: order.token, recovery: recovers ? true : nil, proof: proof)
        _ = try await call(
            .PUT, "/v1/orders/" + PathID.encode(order.id), account: order.accountID, type: "application/json",
            body: Array(Self.encoder.encode(body)))
    }

    func upload(_ proof: String, for order: String, account: String, hint transaction: String? = nil) async throws {
        let query = transaction.map { "?transaction_id=" + $0 } ?? ""
        _ = try await call(
            .POST, "/v1/orders/\(PathID.encode(order))/proofs\(query)", account: account, type: "text/plain",
            body: Array(proof.utf8))
    }

    /// - Parameter wait: for how many seconds a gateway may wait for another action than `wait`.
    /// - Returns: nil where the account has no such order.
    func order(_ order: PlannedOrder, wait: Int) async throws -> Order? {
        do {
            let body = try await call(.GET, "/v1/orders/\(PathID.encode(order.id))?wait=\(wait)", account: order.accountID)
            return try Self.decoder.decode(Order.self, from: body)
        } catch let refusal as Refusal where refusal.name == "order_unknown" {
            return nil
        }
    }

    /// The ids of the orders that an account can still pay, oldest first.
    func openOrders(of account: String, _ product: ShopProduct) async throws -> [String] {
        let body = try await call(.GET, "/v1/orders?payable=true&product_id=" + product.productID, account: account)
        return try Self.decoder.decode(OrderList.self, from: body).orders.reversed().map(\.orderId)
    }

    /// - Throws: ``Refusal``; once patience is over, whatever kept the last try from its answer.
    private func call(
        _ method: HTTPMethod, _ target: String, account: String, type: String? = nil, body: [UInt8]? = nil
    ) async throws -> Data {
        let deadline = ContinuousClock.now + patience
        var place = Int.random(in: urls.indices)
        while true {
            var request = HTTPClientRequest(url: urls[place] + target)
            request.method = method
            request.headers.add(name: "Authorization", value: "Bearer " + (keys.randomElement()?.text ?? ""))
            request.headers.add(name: "Counterfoil-Account", value: PathID.encode(account))
            if let type { request.headers.add(name: "Content-Type", value: type) }
            if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
            do {
                let response = try await client.execute(request, timeout: Self.callTimeout)
                let answer = Data(try await response.body.collect(upTo: 1 << 24).readableBytesView)
                if (200..<300).contains(response.status.code) { return answer }
                let problem = try Self.decoder.decode(Problem.self, from: answer)
                let refusal = Refusal(
                    status: Int(response.status.code), name: String(problem.type.dropFirst("/problems/".count)), rule: problem.rule)
                guard [429, 503].contains(refusal.status), refusal.rule == nil, .now < deadline else { throw refusal }
            } catch let refusal as Refusal {
                throw refusal
            } catch {
                guard !Task.isCancelled, .now < deadline else { throw error }
            }
            place = (place + 1) % urls.count
            try await Task.sleep(for: Self.pause)
        }
    }
}

extension StatusReader.Status {
    init(_ order: ShopGateway.Order) {
        self.init(
            outcome: Outcome(
                state: order.state, reason: order.reason, clientAction: order.clientAction, transactionID: order.transactionId,
                environment: order.environment),
            isPending: order.nextAttemptAt != nil, job: order.jobId.flatMap { Int64($0) } ?? 0)
    }
}
