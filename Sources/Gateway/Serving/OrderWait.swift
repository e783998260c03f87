// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A request that waits for an order's news: all that is kept of it meanwhile.
struct OrderWait: Sendable {
    let order: String
    let account: String
    /// The header `If-None-Match` of the request, as the client wrote it.
    let tags: String?
    /// The tag of the answer that the client has: it waits for another one.
    let known: String?
    let seconds: Int
    let deadline: ContinuousClock.Instant
    var record = CallHandler.Record()

    func answer(_ ended: WaitRoom.Ended) throws -> Answer {
        switch ended {
        case .order(let order): return Answer(order, to: tags, waited: seconds, requestID: record.requestID)
        case .unknown: throw Problem(.orderUnknown)
        case .failed(let error): throw error
        case .gone: throw Problem(.stopping)
        }
    }
}

extension Answer {
    /// An order, or that a client that has `tags` has it.
    init(_ order: OrderAnswer, to tags: String?, waited seconds: Int, requestID: String) {
        if order.isKnown(tags) {
            self.init(notModified: order.eTag, requestID: requestID)
            addHints(of: order, waited: seconds)
        } else {
            self.init(order, 200, waited: seconds, requestID: requestID)
        }
    }

    init(_ order: OrderAnswer, _ status: Int, waited seconds: Int = 0, requestID: String) {
        self.init(status, order.json, requestID: requestID)
        fields[.eTag] = order.eTag
        addHints(of: order, waited: seconds)
    }

    private mutating func addHints(of order: OrderAnswer, waited seconds: Int) {
        if seconds > 0 { fields[HTTPField.Name("Preference-Applied")!] = "wait=\(seconds)" }
        guard order.isWaiting else { return }
        let after = order.nextAttemptIn.map { min(30, max(1, Int(($0 / .seconds(1)).rounded(.up)))) } ?? 2
        fields[HTTPField.Name("Poll-After")!] = String(after)
    }
}
