// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// Whatever Apple tells, in whatever order, once or twice or by its history, and wherever clients upload meanwhile: what stands in
/// the end is the same.
@Suite struct NotificationWorldTests {
    /// `COUNTERFOIL_WORLDS=3000` plays thousands.
    private static let worlds = ProcessInfo.processInfo.environment["COUNTERFOIL_WORLDS"].flatMap { Int($0) } ?? 60

    /// One thing that happens.
    private enum Event {
        case told(Told, UUID)
        /// A client uploads what Apple signed first.
        case upload(order: String, Transaction)
    }

    private struct World {
        var events: [Event] = []
        var transactions: [String: Transaction] = [:]
        var orders: [(id: String, account: String, token: UUID?)] = []
    }

    /// The same world for the same seed, but for the names.
    private static func make(_ seed: Int, name: String, using dice: inout WorldDice) -> World {
        var world = World()
        let start = Date(timeIntervalSinceNow: -7200)
        for number in 0..<Int.random(in: 1...3, using: &dice) {
            let id = "\(name)-\(number)"
            let token = Int.random(in: 0..<4, using: &dice) > 0 ? UUID() : nil
            world.orders.append((id, "\(name)-ann", token))
            var paid = Transaction.sample(id: id, purchased: start.addingTimeInterval(Double(number)), token: token)
            paid.customerID = CustomerID("\(name)-\(number)")
            world.transactions[id] = paid
            var moment = start.addingTimeInterval(60)
            var words: [Told] = [Told("ONE_TIME_CHARGE", paid, signedAt: moment)]
            // Refunds and reversals in turn, each later than the one before.
            for turn in 0..<Int.random(in: 0...4, using: &dice) {
                moment += 60
                if turn.isMultiple(of: 2) {
                    var refunded = paid
                    refunded.revocation = Revocation(.signedTransaction, date: moment, share: .whole, asOf: moment)
                    words.append(Told("REFUND", refunded, signedAt: moment))
                } else {
                    words.append(Told("REFUND_REVERSED", paid, signedAt: moment))
                }
            }
            world.events += words.map { .told($0, UUID()) }
            // Without a token only the client knows whose it is.
            if token == nil || Bool.random(using: &dice) { world.events.append(.upload(order: id, paid)) }
        }
        return world
    }

    private static func play(_ world: World, _ events: [Event], _ queue: QueueFixture) async throws -> [String: String] {
        for order in world.orders {
            try await queue.place(order.id, account: order.account, token: order.token, minutesAgo: 121)
        }
        let transactions = world.transactions
        for event in events {
            switch event {
            case .told(let told, let uuid):
                // Known notifications are not queued again.
                if try await queue.count("counterfoil.notifications where notification_uuid = '\(uuid)'") == 0 {
                    try await queue.tell(told, uuid: uuid)
                } else {
                    _ = try await NotificationStore(pool: queue.pool).replay(uuid.uuidString, of: nil, since: nil)
                    for job in try await queue.claim() where job.work.kind == .notification {
                        _ = try await queue.settle(Settlement(job, recording: told.effects))
                    }
                }
            case .upload(let order, let transaction):
                try await queue.submit(order, "eyJ \(transaction.id.rawValue)")
            }
            try await queue.work { transactions[$0] ?? .sample(id: $0) }
        }
        var ends: [String: String] = [:]
        for order in world.orders {
            // What stands: whether the payment is the order's, went back, or is kept. How the order came there may differ.
            ends[String(order.id.split(separator: "-")[1])] = try await queue.text(
                """
                select case
                    when s.state in ('refunded', 'taken_back') then 'gone'
                    when s.state = 'granted' and o.state = 'fulfilled' then 'granted'
                    when s.state = 'unclaimed' and o.state = 'review' and o.reason = 'refund_reversed' then 'granted'
                    else concat_ws(' ', s.state, s.reason, 'while', o.state, o.reason)
                end
                from counterfoil.payment_states s, counterfoil.orders o
                where s.transaction_id = '\(order.id)' and o.order_id = '\(order.id)'
                """)
        }
        return ends
    }

    @Test(.timeLimit(.minutes(30))) func anyOrderOfArrivalEndsTheSame() async throws {
        try await QueueFixture.run { queue in
            var ends: [String: Int] = [:]
            var events = 0
            for seed in 1...Self.worlds {
                var ended: [[String: String]] = []
                for playing in ["a", "b"] {
                    var dice = WorldDice(seed: UInt64(seed))
                    let world = Self.make(seed, name: "\(playing)\(seed)", using: &dice)
                    var arriving = world.events
                    if playing == "b" {
                        // Some come twice, and all in another order.
                        for event in world.events where Int.random(in: 0..<3, using: &dice) == 0 { arriving.append(event) }
                        arriving.shuffle(using: &dice)
                    }
                    events += arriving.count
                    ended.append(try await Self.play(world, arriving, queue))
                }
                #expect(ended[0] == ended[1], "seed \(seed)")
                for end in ended[0].values { ends[end, default: 0] += 1 }
            }
            #expect(ends.keys.sorted() == ["gone", "granted"], "\(ends)")
            #expect(try await queue.faults() == [])
            print("\(Self.worlds) worlds, \(events) events: \(ends)")
        }
    }
}
