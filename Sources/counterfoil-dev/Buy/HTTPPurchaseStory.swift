// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import CommandSupport
import FoundationEssentials
import Gateway
import NIOCore
import NIOHTTP1
import NIOSSL
import Rehearsal

/// A purchase and its refund as a backend sees them that speaks HTTP: each request that it sends, and each answer.
struct HTTPPurchaseStory: Sendable {
    private static let patience = TimeAmount.seconds(40)
    private static let account = "ann"

    private let product: ShopProduct
    private let store: SimulatorControl
    private let gateway: RunningInstallation.GatewayFacts
    private let client: HTTPClient
    private let order = "buy-" + String(Int.random(in: 0x10_0000...0xFF_FFFF), radix: 16)

    private struct Answer {
        let status: UInt
        let json: JSONValue
    }

    /// Plays one.
    ///
    /// - Parameters:
    ///   - store: where the customer pays.
    ///   - trustRoot: the authority of the gateway's certificate for Apple, as PEM.
    static func play(
        _ product: ShopProduct, _ store: SimulatorControl, _ gateway: RunningInstallation.GatewayFacts, trustRoot: String
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(trustRoot.utf8)))
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow))
        do {
            try await HTTPPurchaseStory(product: product, store: store, gateway: gateway, client: client).play()
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func play() async throws {
        let start = try await send(.GET, "/v1/changes/start?from=now", isShown: false)
        guard let cursor = start.json["next"]?.text else { throw CommandFailure(.failure, "the gateway answered \(start.status)") }
        let purchase = try await buy()
        try await poll()
        try await refund(purchase)
        try await readFeed(from: cursor)
    }

    private func buy() async throws -> SimulatorControl.Purchase {
        let bundle = ShopApp.puzzle.bundleID
        let body = #"{"bundle_id": "\#(bundle)", "product_id": "\#(product.productID)"}"#
        try show(await send(.PUT, "/v1/orders/\(order)", body: body), "\(Self.account) pays")
        let purchase = try await store.buy(product.productID, type: product.type, bundleID: bundle)
        try show(
            await send(
                .POST, "/v1/orders/\(order)/proofs", type: "text/plain", body: purchase.signedTransaction,
                shown:
                    "(transaction \(purchase.transactionID) as Apple signed it, \(purchase.signedTransaction.utf8.count) characters)"
            ))
        return purchase
    }

    private func poll() async throws {
        let began = ContinuousClock.now
        let answer = try await send(.GET, "/v1/orders/\(order)?wait=25")
        let milliseconds = began.duration(to: .now) / .milliseconds(1)
        show(answer, "after \(Int(milliseconds.rounded())) ms")
        guard answer.json["state"]?.text == "fulfilled" else {
            throw CommandFailure(.failure, "the order isn't fulfilled: see counterfoil orders show \(order)")
        }
    }

    private func refund(_ purchase: SimulatorControl.Purchase) async throws {
        let body = try await store.refund(purchase)
        Console.print("POST \(gateway.notificationURL)   Apple refunds, and sends this\n(\(body.utf8.count) characters)")
        var request = HTTPClientRequest(url: gateway.notificationURL)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await client.execute(request, timeout: Self.patience)
        Console.print("  => \(response.status.code) " + String(buffer: try await response.body.collect(upTo: 1 << 16)))
    }

    /// Shows what the feed has of the order, from before the purchase to the refund.
    private func readFeed(from first: String) async throws {
        var cursor = first
        Console.print("GET /v1/changes?after=\(cursor)&wait=25")
        let deadline = ContinuousClock.now + .seconds(30)
        while .now < deadline {
            let answer = try await send(.GET, "/v1/changes?after=\(cursor)&wait=25", isShown: false)
            guard case .array(let changes)? = answer.json["changes"], let next = answer.json["next"]?.text else { break }
            cursor = next
            for change in changes where change["order_id"]?.text == order {
                let kind = change["kind"]?.text ?? ""
                Console.print("  => \(kind) | \(order)")
                if kind == "order_refunded" { return }
            }
        }
        throw CommandFailure(.temporaryFailure, "the refund did not come in time: see the logs of the workers, which up has named")
    }

    // MARK: Requests

    /// - Parameter shown: in place of a body that is too long to be shown.
    private func send(
        _ method: HTTPMethod, _ target: String, type: String = "application/json", body: String? = nil, shown: String? = nil,
        isShown: Bool = true
    ) async throws -> Answer {
        if isShown {
            Console.print("\(method.rawValue) \(target)" + ((shown ?? body).map { "\n" + $0 } ?? ""))
        }
        var request = HTTPClientRequest(url: gateway.url + target)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer " + gateway.key)
        request.headers.add(name: "Counterfoil-Account", value: Self.account)
        if let body {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await client.execute(request, timeout: Self.patience)
        let bytes = try await response.body.collect(upTo: 1 << 20)
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(bytes.readableBytesView))
        guard response.status.code < 300 else {
            throw CommandFailure(.failure, "the gateway answered \(response.status.code): " + String(buffer: bytes))
        }
        return Answer(status: response.status.code, json: json)
    }

    private func show(_ answer: Answer, _ remark: String = "") {
        let order = answer.json["order"] ?? answer.json
        let facts = [order["state"]?.text, order["client_action"]?.text].compactMap(\.self).joined(separator: " | ")
        Console.print("  => \(answer.status) \(facts)" + (remark.isEmpty ? "" : "   " + remark))
    }
}
