// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Verification

@testable import VerificationQueue

/// Carries out what is said in worlds, in any order, in one app of a database: as a backend, workers and an operator do.
final class SubscriptionWorldPlayer {
    private let queue: QueueFixture
    private let bundle: String
    private let lanes: [LaneID]
    private let reader: PostgresConnection
    private let store: SettlementStore
    private var playings = 0

    // Of the playing.
    private var signer: SubscriptionSigner
    private var proofs: [String: VerifiedTransactions] = [:]
    private var notifications: [String: NotificationEffects] = [:]
    /// Proofs that lack the purchase for good.
    private var rejected: Set<String> = []

    init(_ queue: QueueFixture, bundle: String, reader: PostgresConnection) async throws {
        self.queue = queue
        self.bundle = bundle
        self.reader = reader
        // One plan for all worlds.
        _ = try await reader.execute("set plan_cache_mode = force_generic_plan")
        store = SettlementStore(pool: queue.pool, workerID: queue.worker)
        _ = try await queue.admin.execute("insert into counterfoil.apps (bundle_id) values ($1)", [.text(bundle)])
        for plan in SubscriptionWorld.Plan.allCases {
            _ = try await queue.admin.execute(
                "insert into counterfoil.products (bundle_id, product_id, kind) values ($1, $2, 'auto_renewable')",
                [.text(bundle), .text(plan.rawValue)])
        }
        _ = try await queue.admin.execute(
            "update counterfoil.apps set sandbox_policy = 'listed' where bundle_id = $1", [.text(bundle)])
        lanes = try await queue.lanes(of: bundle)
        signer = SubscriptionSigner(SubscriptionWorld(seed: 0, playsSandbox: false), prefix: "", bundle: bundle)
    }

    /// How a playing ended.
    struct Played {
        var end: SubscriptionEnd
        /// What the operator could do.
        var acts: [SubscriptionWorld.Act]
        /// What was wrong on the way.
        var faults: [String]
    }

    /// Plays the words of a world as they arrive, and the operator's acts at the given places among them.
    ///
    /// - Parameter arriving: words by their index; an act counts on after the last word.
    func play(_ world: SubscriptionWorld, _ arriving: [Int]) async throws -> Played {
        playings += 1
        signer = SubscriptionSigner(world, prefix: "\(bundle.suffix(1))\(playings)-", bundle: bundle)
        proofs = [:]
        notifications = [:]
        rejected = []
        for order in world.orders { try await insert(order) }
        if world.isSandbox {
            _ = try await queue.admin.execute(
                "insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ($1, $2)",
                [.text(bundle), .text(signer.id(SubscriptionWorld.first))])
        }
        var played = Played(end: SubscriptionEnd(), acts: [], faults: [])
        var waiting: [SubscriptionWorld.Act] = []
        var before = SubscriptionLedger()
        let begin = try await SubscriptionFeed.latest(reader)
        for place in arriving {
            if place < world.words.count {
                try await say(place)
            } else {
                waiting.append(world.acts[place - world.words.count])
            }
            // An operator comes back until it works.
            for (index, act) in waiting.enumerated().reversed() where try await perform(act) {
                played.acts.append(waiting.remove(at: index))
                try await settleAll()
            }
            let after = try await SubscriptionLedger.read(signer, reader)
            played.faults += after.faults(since: before, world).map { "after word \(place): \($0)" }
            before = after
            played.faults += try await SubscriptionFeed.errors(signer, since: begin, reader).map { "after word \(place): \($0)" }
        }
        played.end = try await .read(signer, reader)
        return played
    }

    private func insert(_ order: SubscriptionWorld.Order) async throws {
        _ = try await queue.admin.execute(
            """
            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, app_account_token, recovery, created_at
            )
            values ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .text(signer.id(order.id)), .text(bundle), .text(order.plan.rawValue), .text(signer.id(order.account)),
                .uuid(signer.token(order.token)), .bool(order.isRecovery),
                .timestamp(PostgresTimestamp(signer.date(order.createdAt))),
            ])
    }

    // MARK: Words

    private func say(_ place: Int) async throws {
        let word = signer.world.words[place]
        let proof = "\(word.isReceipt ? "MII" : "eyJ") \(signer.prefix)said \(place)"
        switch word.kind {
        case .told(let type):
            proofs[proof] = signer.evidence(word)
            try await tell(type, NotificationEffects(of: signer.notification(word, type, proof: proof)), at: word.hour)
        case .unshared:
            try await tell("REVOKE", NotificationEffects(of: signer.revocation(word, proof: proof)), at: word.hour)
        case .shown(_, let order, _):
            proofs[proof] = signer.evidence(word)
            try await upload(proof, for: order, hint: signer.world.periods[word.period].id)
        case .missed(_, let order):
            rejected.insert(proof)
            try await upload(proof, for: order, hint: nil)
        case .shared(_, let order):
            proofs[proof] = VerifiedTransactions(
                [signer.share(word)], mayBeIncomplete: false, signedAt: signer.date(word.hour))
            try await upload(proof, for: order, hint: nil)
        }
        try await settleAll()
    }

    private func tell(_ type: String, _ effects: NotificationEffects, at hour: SubscriptionWorld.Hour) async throws {
        let text = QueueFixture.notificationText(
            type, bundle: bundle, environment: signer.world.isSandbox ? "Sandbox" : "Production", signedAt: signer.date(hour))
        notifications[text] = effects
        guard try await queue.receive(text) == "stored" else { throw Failure.refusedNotification }
    }

    private func upload(_ proof: String, for order: String, hint: String?) async throws {
        _ = try await queue.admin.execute(
            "insert into counterfoil.jobs (order_id, proof, transaction_id, run_at) values ($1, $2, $3, now() - interval '1 s')",
            [.text(signer.id(order)), .text(proof), .text(hint.map(signer.id))])
    }

    private enum Failure: Error { case refusedNotification, unknownText }

    /// A job that no try settles.
    struct Unsettled: Error {}

    /// Claims and settles all that is due, until nothing is.
    private func settleAll() async throws {
        while true {
            let jobs = try await queue.claim(from: lanes)
            guard !jobs.isEmpty else { return }
            for job in jobs { try await settle(settlement(of: job)) }
        }
    }

    private func settlement(of job: Job) throws -> Settlement {
        if case .record(let told) = job.work {
            guard let effects = notifications[told.text] else { throw Failure.unknownText }
            return Settlement(job, recording: effects)
        }
        if rejected.contains(job.work.text) { return Settlement(job, .end(.rejected(.purchaseNotInReceipt, nil))) }
        guard let evidence = proofs[job.work.text] else { throw Failure.unknownText }
        return Settlement(job, showing: evidence)
    }

    /// By the careful path, with the orders locked if they moved; again where another session was in the way, as a worker does.
    private func settle(_ settlement: Settlement) async throws {
        for locksOrders in [false, true, true, true] {
            do {
                if try await store.settle([settlement], locksOrders: locksOrders).locked.isEmpty { return }
            } catch is OrdersMoved {
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            }
        }
        throw Unsettled()
    }

    // MARK: The operator

    private func perform(_ act: SubscriptionWorld.Act) async throws -> Bool {
        let order = OrderID(rawValue: signer.id(act.order))
        let transaction = signer.transaction(act.period, at: act.hour, isSigned: true)
        let by = OperatorAct(who: "olga", why: "a test")
        do {
            switch act.kind {
            case .assign:
                _ = try await store.assign(transaction.id, in: nil, fetched: transaction, to: order, overrides: false, by: by)
            case .refund:
                _ = try await store.refund(order, transaction: transaction.id, at: signer.date(act.hour), by: by)
            case .move:
                _ = try await queue.admin.execute(
                    "select counterfoil.move_account($1, $2, 'olga', 'a test')",
                    [.text(signer.id(SubscriptionWorld.first)), .text(signer.id(SubscriptionWorld.moved))])
            }
            return true
        } catch is OperatorError, is OrdersMoved {
            return false
        }
    }
}
