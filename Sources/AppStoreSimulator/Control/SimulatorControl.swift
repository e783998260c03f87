// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Steers a simulator that runs in another process, by its control interface.
package struct SimulatorControl: Sendable {
    /// A purchase that the simulated store has made.
    package struct Purchase: Sendable {
        package let transactionID: String
        /// What StoreKit gives the client: the proof.
        package let signedTransaction: String
        fileprivate let transaction: SimulatedTransaction
    }

    /// The simulator refused a call, or didn't answer it.
    package struct Refused: Error, CustomStringConvertible {
        package let description: String
    }

    private struct MadeTransaction: Decodable {
        var signedTransaction: String
    }

    private struct MadeNotification: Decodable {
        var signedPayload: String
    }

    private static let patience = TimeAmount.seconds(10)
    private static let largestAnswer = 1 << 20

    private let url: String
    private let client: HTTPClient

    /// Runs `body` with a client, and closes its connections.
    ///
    /// - Parameters:
    ///   - url: the root of the control interface, with the slash at its end.
    ///   - trustRoot: the authority of the simulator's certificate, as PEM.
    package static func with<Success: Sendable>(
        url: String, trustRoot: String, _ body: (SimulatorControl) async throws -> Success
    ) async throws -> Success {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(trustRoot.utf8)))
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow))
        do {
            let success = try await body(SimulatorControl(url: url, client: client))
            try await client.shutdown()
            return success
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// A customer of the simulated store buys a unit of a product.
    package func buy(_ productID: String, type: SimulatedProductType, bundleID: String) async throws -> Purchase {
        // Dates of calls have whole seconds. A refund comes later than its purchase.
        let date = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 1).rounded(.down))
        let transaction = SimulatedTransaction(productId: productID, bundleId: bundleID, type: type, purchaseDate: date)
        let made = try await post("transactions", as: MadeTransaction.self) { Self.write(transaction, to: &$0) }
        return Purchase(
            transactionID: transaction.transactionId, signedTransaction: made.signedTransaction, transaction: transaction)
    }

    /// The simulated store refunds a purchase.
    ///
    /// - Returns: the body of the request by which Apple notifies the shop; the simulator sends it to nobody.
    package func refund(_ purchase: Purchase) async throws -> String {
        let date = Date().formatted(.iso8601)
        _ = try await post("transactions", as: MadeTransaction.self) { json in
            Self.write(purchase.transaction, to: &json)
            json.field("revocationDate", date)
            json.field("signedDate", date)
        }
        let made = try await post("notifications", as: MadeNotification.self) { json in
            json.field("notificationType", "REFUND")
            json.field("transactionId", purchase.transactionID)
            json.key("results")
            json.strings(["SUCCESS"])
        }
        return #"{"signedPayload":"\#(made.signedPayload)"}"#
    }

    private static func write(_ transaction: SimulatedTransaction, to json: inout JSONWriter) {
        json.field("productId", transaction.productId)
        json.field("bundleId", transaction.bundleId)
        json.field("type", transaction.type.rawValue)
        json.field("transactionId", transaction.transactionId)
        json.field("appTransactionId", transaction.appTransactionId)
        json.field("webOrderLineItemId", transaction.webOrderLineItemId)
        json.field("purchaseDate", transaction.purchaseDate.formatted(.iso8601))
    }

    private func post<Made: Decodable>(
        _ call: String, as type: Made.Type, _ fields: (inout JSONWriter) -> Void
    ) async throws -> Made {
        var json = JSONWriter()
        json.object(fields)
        var request = HTTPClientRequest(url: url + call)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: json.bytes))
        let status: HTTPResponseStatus
        let body: ByteBuffer
        do {
            let response = try await client.execute(request, timeout: Self.patience)
            status = response.status
            body = try await response.body.collect(upTo: Self.largestAnswer)
        } catch {
            throw Refused(description: "the simulated App Store at \(url) doesn't answer")
        }
        guard status == .ok else {
            throw Refused(description: "the simulated App Store refused \(call): \(String(buffer: body))")
        }
        return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }
}
