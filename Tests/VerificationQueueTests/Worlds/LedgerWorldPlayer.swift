// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Verification

@testable import VerificationQueue

/// Carries out the moves of worlds in one app of a database, as workers, operators and the shop do, and asks the oracle after each.
final class LedgerWorldPlayer {
    private let queue: QueueFixture
    private let bundle: String
    private let lanes: [LaneID]
    private let reader: PostgresConnection
    private let store: SettlementStore
    private let act = OperatorAct(who: "eve", why: "a test")

    /// How often each thing happened.
    private(set) var events: [String: Int] = [:]

    // Of the world that is played.
    private var world = LedgerWorld(seed: 0, playing: 0, bundle: "")
    private var proofs: [String: LedgerWorld.Upload] = [:]
    private var known: Set<String> = []
    private var imported: Set<String> = []
    /// The transactions that proofs showed, and those of them with a token.
    private var shown: Set<String> = []
    private var tokens: [String: String] = [:]
    private var before = LedgerRows()

    /// The account that showed each payment first, by any of its names, and was no stranger to it then.
    private var firstShown: [(id: String, account: String)] = []

    init(_ queue: QueueFixture, bundle: String, reader: PostgresConnection) async throws {
        self.queue = queue
        self.bundle = bundle
        self.reader = reader
        // One plan for all worlds.
        _ = try await reader.execute("set plan_cache_mode = force_generic_plan")
        store = SettlementStore(pool: queue.pool, workerID: queue.worker)
        _ = try await queue.admin.execute("insert into counterfoil.apps (bundle_id) values ($1)", [.text(bundle)])
        for product in LedgerWorld.products {
            guard let listed = product.listed else { continue }
            _ = try await queue.admin.execute(
                "insert into counterfoil.products (bundle_id, product_id, kind) values ($1, $2, $3)",
                [.text(bundle), .text(product.id), .text(listed.rawValue)])
        }
        lanes = try await queue.lanes(of: bundle)
    }

    /// What is wrong after some move; empty when nothing is.
    ///
    /// - Parameter ordersAgain: whether the clients make the orders that `order_again` names, after the last move.
    func play(_ world: LedgerWorld, _ moves: [LedgerWorld.Move], ordersAgain: Bool = true) async throws -> [String] {
        self.world = world
        proofs = [:]
        known = []
        imported = []
        shown = []
        tokens = [:]
        firstShown = []
        before = LedgerRows()
        for (number, move) in moves.enumerated() {
            do {
                let overridden = try await carryOut(move)
                let faults = try await judge(
                    move, overridden: overridden, withViews: number % 3 == 2 || number == moves.count - 1)
                if !faults.isEmpty { return faults.map { "after move \(number + 1): \($0)" } }
            } catch let error as PostgresError {
                return ["after move \(number + 1): \(error)"]
            }
        }
        return ordersAgain ? try await orderAgain() : []
    }

    /// Makes each order that `order_again` names, and uploads the proof that showed the payment. Each order must be granted.
    private func orderAgain() async throws -> [String] {
        let told = try await queue.admin.execute(
            """
            select t.transaction_id, t.account_id, t.product_id, t.quantity, o.app_account_token
            from counterfoil.transaction_status t
            join counterfoil.payments p on (p.transaction_id, p.bundle_id, p.environment) = (t.transaction_id, t.bundle_id, t.environment)
            join counterfoil.orders o on o.number = p.shown_by_number
            where t.bundle_id = $1 and t.transaction_id like $2 || '%' and t.client_action = 'order_again'
            order by t.transaction_id
            """, [.text(bundle), .text(world.prefix)])
        var faults: [String] = []
        for row in told {
            let id = try row.string(0)
            let showing = proofs.sorted { $0.key < $1.key }.map(\.value).last { upload in
                upload.form != .bareID && upload.transactions.contains { $0.id.rawValue == id && $0.revocation == nil }
            }
            // Another name of it may have been ordered just now.
            let action = try await queue.admin.execute(
                "select client_action from counterfoil.transaction_status where bundle_id = $1 and transaction_id = $2",
                [.text(bundle), .text(id)])[0].string(0)
            guard let showing, action == "order_again" else { continue }
            count("ordered again")
            let order = LedgerWorld.NewOrder(
                id: "\(world.prefix)again-\(id)", account: try row.string(1), product: try row.string(2), quantity: Int(try row.int32(3)),
                token: try row.optionalUUID(4), isRecovery: false, createdAt: Date(), payment: nil)
            try await insert(order)
            try await submit(
                LedgerWorld.Upload(
                    order: order.id, form: .signed, transactions: showing.transactions.filter { $0.id.rawValue == id && $0.revocation == nil }, hint: nil))
            try await settleAll(atOnce: false)
            let granted = try await queue.order(order.id)
            guard granted != OrderFacts(.fulfilled, by: id) else { continue }
            let history = try await queue.admin.execute(
                "select concat_ws(' ', disposition, reason, message) from counterfoil.attempts where order_id = $1", [.text(order.id)]
            ).map { try $0.string(0) }
            faults.append("\(id) was to be ordered again, and its order is \(granted) after \(history)")
        }
        showings = []
        return faults
    }

    private func count(_ event: String) { events[event, default: 0] += 1 }

    // MARK: Moves

    /// - Returns: the orders that a person gave their payment, whatever spoke against it.
    private func carryOut(_ move: LedgerWorld.Move) async throws -> Set<String> {
        switch move {
        case .order(let order): try await insert(order)
        case .upload(let upload):
            try await submit(upload)
            try await settleAll(atOnce: false)
        case .batch(let uploads):
            for upload in uploads { try await submit(upload) }
            try await settleAll(atOnce: false)
        case .together(let moves):
            var acts: [LedgerWorld.Move] = []
            for move in moves {
                if case .upload(let upload) = move { try await submit(upload) } else { acts.append(move) }
            }
            return try await settleAll(atOnce: true, beside: acts)
        case .assign, .refund, .reverse, .importGrants, .cancel, .moveAccount, .transfer, .forget: return try await perform(move)
        }
        return []
    }

    private func insert(_ order: LedgerWorld.NewOrder) async throws {
        known.insert(order.id)
        _ = try await queue.admin.execute(
            """
            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery, created_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                // A moved account takes no new orders.
                .text(order.id), .text(bundle), .text(order.product), .text(before.followed(order.account)), .int4(Int32(order.quantity)),
                .uuid(order.token), .bool(order.isRecovery), .timestamp(PostgresTimestamp(order.createdAt)),
            ])
    }

    private func submit(_ upload: LedgerWorld.Upload) async throws {
        guard known.contains(upload.order) else { return }
        let number = world.seed * 10_000 + UInt64(proofs.count)
        let text =
            switch upload.form {
            case .signed: "eyJ \(world.prefix)\(number)"
            case .receipt: "MII \(world.prefix)\(number)"
            case .bareID: "\(number)"
            }
        proofs[text] = upload
        _ = try await queue.admin.execute(
            "insert into counterfoil.jobs (order_id, proof, transaction_id, run_at) values ($1, $2, $3, now() - interval '1 s')",
            [.text(upload.order), .text(text), .text(upload.hint)])
    }

    /// Claims and settles all that is due.
    @discardableResult
    private func settleAll(atOnce: Bool, beside acts: [LedgerWorld.Move] = []) async throws -> Set<String> {
        var overridden: Set<String> = []
        var acts = acts
        while true {
            let jobs = try await queue.claim(from: lanes)
            guard !jobs.isEmpty || !acts.isEmpty else { return overridden }
            let settlements = jobs.map { settlement(of: $0) }
            if atOnce {
                let sessions = settlements.map { [$0] }
                let act = acts.first
                acts = []
                let store = store
                async let first = Self.settle(sessions.first ?? [], store)
                async let second = Self.settle(Array(sessions.dropFirst().flatMap { $0 }), store)
                if let act { overridden.formUnion(try await perform(act)) }
                for result in try await first + second { note(result) }
            } else {
                for result in try await Self.settle(settlements, store) { note(result) }
            }
        }
    }

    /// As a worker: each part by its path, and what the short one left or couldn't write by the careful one.
    private static func settle(_ batch: [Settlement], _ store: SettlementStore) async throws -> [SettlementResult] {
        var results: [SettlementResult] = []
        var left: [Settlement] = []
        for part in SettlementBatch.batches(of: batch) {
            guard part.path == .short else {
                results += try await settleCarefully(part.settlements, store)
                continue
            }
            do {
                let (settled, remaining) = try await store.grantFirst(part.settlements)
                results += settled
                left += remaining
            } catch let error as PostgresError where part.fallsOut(after: SettlementFault(error)) {
                left += part.settlements
            }
        }
        return results + (try await settleCarefully(left, store))
    }

    /// What somebody else's lock is in the way of is sent again, with the orders locked first.
    private static func settleCarefully(_ batch: [Settlement], _ store: SettlementStore) async throws -> [SettlementResult] {
        var results: [SettlementResult] = []
        var left = batch
        var locksOrders = false
        while !left.isEmpty {
            do {
                let (settled, locked) = try await store.settle(left, locksOrders: locksOrders)
                results += settled
                left = locked
            } catch is OrdersMoved {
            } catch let error as PostgresError where [.deadlockDetected, .lockNotAvailable].contains(error.sqlState) {
            }
            locksOrders = true
        }
        return results
    }

    private func evidence(_ upload: LedgerWorld.Upload) -> VerifiedTransactions {
        VerifiedTransactions(
            upload.transactions, mayBeIncomplete: upload.form == .receipt, provesPossession: upload.form != .bareID,
            isConfirmed: upload.form == .bareID)
    }

    /// As an attempt ends.
    private func settlement(of job: Job) -> Settlement {
        guard let upload = proofs[job.work.text] else { return Settlement(job, .discard(.unknownAnswer, lane: nil)) }
        return Settlement(job, showing: evidence(upload))
    }

    /// Remembers what a settled proof showed.
    private func note(_ result: SettlementResult) {
        guard case .settled(let outcome) = result.result, let upload = proofs[result.settlement.job.work.text] else { return }
        count(outcome.reason.map { "\(outcome.name) \($0.rawValue)" } ?? outcome.name)
        guard upload.form != .bareID else { return }
        let settlement = result.settlement
        for transaction in upload.transactions where transaction.ownership == .purchased {
            // A job that stays has its proof itself, and what it shows need not be kept.
            if settlement.ends { shown.insert(transaction.id.rawValue) }
            showings.append(Showing(transaction: transaction, order: settlement.job.order, ends: settlement.ends))
        }
    }

    private struct Showing {
        let transaction: Transaction
        let order: Order
        /// Whether its job ended.
        let ends: Bool
    }

    /// Of this move.
    private var showings: [Showing] = []

    private func perform(_ move: LedgerWorld.Move) async throws -> Set<String> {
        do {
            switch move {
            case .assign(let id, let order, let fetched, let overrides):
                _ = try await store.assign(
                    TransactionID(rawValue: id), in: nil, fetched: fetched, to: OrderID(rawValue: order), overrides: overrides, by: act)
                count("assign")
                return overrides ? [order] : []
            case .refund(let order, let id, let moment):
                _ = try await store.refund(
                    OrderID(rawValue: order), transaction: id.map(TransactionID.init(rawValue:)), at: moment, by: act)
                count("refund")
            case .reverse(let order, let id, let moment):
                _ = try await store.reverseRefund(
                    OrderID(rawValue: order), transaction: id.map(TransactionID.init(rawValue:)), at: moment, by: act)
                count("reverse")
            case .importGrants(let entries): return try await importGrants(entries)
            case .cancel(let order):
                _ = try await queue.admin.execute("select counterfoil.cancel_order($1, 'a test')", [.text(order)])
            case .moveAccount(let from, let to):
                _ = try await queue.admin.execute("select counterfoil.move_account($1, $2, 'eve', 'a test')", [.text(from), .text(to)])
                count("move")
            case .transfer(let order, let to):
                _ = try await queue.admin.execute(
                    "select counterfoil.transfer_order($1, $2, 'eve', 'a test')", [.text(order), .text(to)])
                count("transfer")
            case .forget(let account):
                let pseudonym = try await queue.admin.execute(
                    "select (counterfoil.forget_account($1, 'eve', 'a test')).pseudonym", [.text(account)])[0].string(0)
                let accounts = [account] + before.moves.map(\.from).filter { before.followed($0) == account }
                firstShown = firstShown.map { (id: $0.id, account: accounts.contains($0.account) ? pseudonym : $0.account) }
                count("forget")
            case .order, .upload, .together, .batch: break
            }
        } catch let error as OperatorError {
            count("refused \(String(describing: error).prefix(40))")
        } catch let error as PostgresError where error.constraint == "paid_orders_are_not_cancelled"
            || error.constraint == "event_names_a_known_order" {
            count("not cancelled")
        } catch let error as PostgresError where ["23514", "23503"].contains(error.sqlState?.rawValue)
            && ["move", "transferred_orders", "forgotten"].contains(where: { error.constraint?.contains($0) == true }) {
            count("refused \(error.constraint ?? "")")
        } catch let error as PostgresError where error.sqlState?.rawValue == "40P01" {
            count("deadlock")
        }
        return []
    }

    private func importGrants(_ entries: [LedgerWorld.Entry]) async throws -> Set<String> {
        let objects = entries.map { entry in
            let paid = entry.transaction
            let fields: [(String, String?)] = [
                ("order_id", entry.order), ("account_id", entry.account), ("product_id", paid.productID.rawValue),
                ("product_kind", entry.kind.rawValue), ("transaction_id", paid.id.rawValue),
                ("original_transaction_id", paid.originalID.rawValue), ("web_order_line_item_id", paid.webOrderLineItemID),
                ("app_account_token", paid.appAccountToken?.uuidString),
            ]
            let texts = fields.compactMap { name, value in value.map { "\"\(name)\":\"\($0)\"" } }
            let seconds = Int64(paid.purchaseDate.timeIntervalSince1970)
            return "{\(texts.joined(separator: ",")),\"quantity\":\(paid.quantity),\"purchased\":\(seconds)}"
        }
        let rows = try await queue.admin.execute(
            """
            select i.order_id, i.outcome
            from counterfoil.import_grants(
                $1, 'production',
                (
                    select jsonb_agg(e || jsonb_build_object('purchased_at', to_timestamp((e ->> 'purchased')::float8)) order by n)
                    from jsonb_array_elements($2::text::jsonb) with ordinality as x (e, n)
                )
            ) i
            """, [.text(bundle), .text("[\(objects.joined(separator: ","))]")])
        for row in rows {
            count("import \(try row.string(1))")
            if try row.string(1) == "imported" { imported.insert(try row.string(0)) }
        }
        known.formUnion(imported)
        return imported
    }

    // MARK: Apple's words

    /// Records what Apple says of transactions, each word in a database transaction of its own, as a settlement does; and what
    /// follows.
    func record(_ words: [LedgerWorld.Saying]) async throws {
        for word in words {
            let transaction = word.transaction
            try await queue.pool.withTransaction { [store] connection in
                try await store.lockPayments([PaymentName(transaction)], connection)
                guard transaction.revocation == nil else {
                    return try await store.write([PaymentWord(refundOf: transaction)], connection)
                }
                let reversal = PaymentWord(reversalOf: PaymentName(transaction), at: word.asOf, comesLast: false)
                try await store.write([reversal], connection)
            }
        }
    }

    /// What became of each payment and of each order that was granted one, by ids without the world's prefix.
    func ends(of world: LedgerWorld) async throws -> [String: String] {
        let rows = try await LedgerRows.read(world.prefix, of: bundle, reader)
        let judged = try await LedgerRows.readJudged(world.prefix, of: bundle, reader)
        var ends: [String: String] = [:]
        for one in judged {
            ends[String(one.id.dropFirst(world.prefix.count))] = "\(one.state) \(one.share ?? -1) \(one.status) \(one.action)"
        }
        for order in rows.orders where rows.payments.contains(where: { $0.order == order.id }) {
            ends[String(order.id.dropFirst(world.prefix.count))] = order.state
        }
        let faults = LedgerOracle(world: world, rows: rows).faults() + LedgerOracle(world: world, rows: rows).contradictions(judged)
        if !faults.isEmpty { ends["faults"] = faults.joined(separator: "; ") }
        return ends
    }

    // MARK: Judging

    private func judge(_ move: LedgerWorld.Move, overridden: Set<String>, withViews: Bool) async throws -> [String] {
        let rows = try await LedgerRows.read(world.prefix, of: bundle, reader)
        // An erasure takes tokens out.
        for payment in before.payments where payment.token != nil {
            if let now = rows.payment(payment.id), now.token == nil, !now.isGranted { tokens[payment.id] = nil }
        }
        let oracle = LedgerOracle(world: world, rows: rows)
        // Jobs of one order are claimed one after the other, in whatever order.
        let isAtOnce =
            switch move {
            case .together, .batch: true
            default: false
            }
        var faults =
            oracle.faults() + changedGrants(rows) + lostPayments(rows)
            + newGrants(rows, isAtOnce: isAtOnce, overridden: overridden)
        if withViews { faults += oracle.contradictions(try await LedgerRows.readJudged(world.prefix, of: bundle, reader)) }
        for showing in showings {
            if let token = showing.transaction.appAccountToken {
                tokens[showing.transaction.id.rawValue] = token.uuidString.lowercased()
            }
            if !showing.transaction.isRefunded { keepFirst(showing, oracle) }
        }
        showings = []
        before = rows
        return faults
    }

    private func changedGrants(_ rows: LedgerRows) -> [String] {
        before.payments.filter(\.isGranted).compactMap { grant in
            rows.payment(grant.id)?.text == grant.text ? nil : "the grant of \(grant.id) changed"
        } + before.words.filter { word in !rows.words.contains { $0.id == word.id } }.map { "the word \($0.id) is gone" }
    }

    private func lostPayments(_ rows: LedgerRows) -> [String] {
        shown.sorted().compactMap { id in rows.payment(id) == nil ? "\(id) was shown, and is lost" : nil }
    }

    /// Judges the grants of a move by the facts after it, and those of sessions at once by the facts before.
    private func newGrants(_ rows: LedgerRows, isAtOnce: Bool, overridden: Set<String>) -> [String] {
        let oracle = LedgerOracle(world: world, rows: rows)
        let former = LedgerOracle(world: world, rows: before)
        return rows.payments.flatMap { grant -> [String] in
            guard let orderID = grant.order, before.payment(grant.id)?.isGranted != true,
                let order = rows.orders.first(where: { $0.id == orderID })
            else { return [] }
            count("granted \(grant.kind.rawValue)")
            var faults: [String] = []
            // A reversal among sessions at once may have come before the grant.
            let isReversed = isAtOnce && oracle.isReversed(grant, since: before)
            let refunds = isReversed ? .none : isAtOnce ? former.refund(of: grant) : oracle.refund(of: grant)
            if refunds.isWhole && !imported.contains(orderID) { faults.append("\(grant.id) was granted, and had been refunded") }
            guard grant.isAutomatic || !overridden.contains(orderID) else { return faults }
            if refunds != .none && !isAtOnce { faults.append("\(grant.id) was granted, and had been refunded: \(refunds)") }
            if isAtOnce && refunds != .none && former.refund(of: grant) != .none {
                faults.append("\(grant.id) was granted at once with others, and had been refunded: \(refunds)")
            }
            if grant.product != order.product { faults.append("\(grant.id) is not what was ordered") }
            let token = grant.token ?? tokens[grant.id]
            // What the same proof shows beside a period is learnt with it.
            let judge = isAtOnce || grant.kind == .autoRenewable ? former : oracle
            // A move among sessions at once may have come before the grant.
            let isMoved = oracle.rows.moves.count != former.rows.moves.count
            let shownBy = owner(of: grant, oracle)
            if let why = judge.stranger(grant, token: token, order: former.rows.order(orderID) ?? order, shownBy: shownBy),
                !isMoved || oracle.stranger(grant, token: token, order: order, shownBy: shownBy) != nil
            {
                faults.append("\(grant.id) was granted to \(order.account): \(why)")
            }
            return faults
        }
    }

    private func owner(of payment: LedgerRows.Payment, _ oracle: LedgerOracle) -> String? {
        let names = Set(oracle.names(of: payment).map(\.id))
        return firstShown.first { names.contains($0.id) }?.account
    }

    /// A showing makes an owner, unless it was a stranger's.
    private func keepFirst(_ showing: Showing, _ oracle: LedgerOracle) {
        guard let payment = oracle.rows.payment(showing.transaction.id.rawValue), owner(of: payment, oracle) == nil,
            showing.ends || payment.shownBy == showing.order.id.rawValue,
            let order = oracle.rows.orders.first(where: { $0.id == showing.order.id.rawValue })
        else { return }
        let token = showing.transaction.appAccountToken?.uuidString.lowercased() ?? payment.token ?? tokens[payment.id]
        guard oracle.stranger(payment, token: token, order: order, shownBy: nil) == nil else { return }
        firstShown.append((payment.id, order.account))
    }
}
