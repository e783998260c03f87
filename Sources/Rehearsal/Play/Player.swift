// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import EventSources
import FoundationEssentials
import Postgres
import Verification

/// Plays one purchase as a real app and its customer would: orders, pays, uploads, polls, and does what it is told.
package struct Player {
    private let purchase: Purchase
    private let shop: Backend
    private let statuses: StatusReader
    private let shopOperator: ShopOperator
    private let simulator: AppStoreSimulator
    private let deadline: ContinuousClock.Instant
    private var device: Device
    private var lastProofs: [Int: String] = [:]
    private var lastPlanned: [Int: PlannedProof] = [:]
    /// The uploads of each order that a poll named.
    private var jobs: [Int: Set<Int64>] = [:]
    private var record = PlayRecord()
    /// How many notifications of each transaction were sent.
    private var told: [Int: Int] = [:]

    /// - Parameter deadline: an order that hasn't come to rest by then is given up as a trouble.
    package init(
        _ purchase: Purchase, shop: Backend, statuses: StatusReader, shopOperator: ShopOperator, simulator: AppStoreSimulator,
        deadline: ContinuousClock.Instant
    ) {
        self.purchase = purchase
        self.shop = shop
        self.statuses = statuses
        self.shopOperator = shopOperator
        self.simulator = simulator
        self.deadline = deadline
        device = Device(purchase, simulator: simulator)
    }

    /// Plays to the end. An error of the database ends the story early and is a trouble.
    package mutating func play() async throws(CancellationError) -> PlayRecord {
        do {
            for step in purchase.steps {
                let begun = Date()
                try await play(step)
                record.told.note(paid: record.payments.keys, since: begun)
                // What uploads notes itself.
                if case .upload = step { continue }
                record.told.note(step, since: begun)
            }
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            record.troubles.append("\(error)")
        }
        return record
    }

    private mutating func play(_ step: PlayerStep) async throws {
        switch step {
        case .place(let orders):
            for order in orders { try await shop.place(purchase.orders[order]) }
        case .pay(let transactions):
            for transaction in transactions { record.payments[transaction] = device.pay(transaction) }
        case .refund(let transactions, let refund):
            transactions.forEach { device.refund($0, refund) }
        case .reverse(let transactions):
            transactions.forEach { device.reverse($0) }
        case .upgrade(let transaction, let newer, let hours):
            device.upgrade(transaction, to: newer, hours: hours)
        case .see(let order, let state):
            try await see(order, in: state)
        case .backdate(let order, let minutes):
            try await shopOperator.backdate(purchase.orders[order].id, by: minutes)
        case .reverseByOperator(let order):
            try await shopOperator.reverseRefund(of: purchase.orders[order].id)
        case .keep(let proofs):
            for proof in proofs { try device.keep(proof) }
        case .upload(let uploads):
            try await upload(uploads)
        case .follow(let orders):
            for order in orders { try await follow(order) }
        case .find(let order):
            try await find(purchase.orders[order])
        case .cancelWhileRunning(let upload):
            try await cancel(whileRunning: upload)
        case .begin(let life):
            for (transaction, payment) in try device.begin(life) { record.payments[transaction] = payment }
        case .introduce(let life):
            if let about = try device.introduce(life) { told[about, default: 0] += 1 }
        case .befall(let life, let event, let isHeldUp):
            let (about, payments) = try device.befall(life, event, isHeldUp: isHeldUp)
            if let about { told[about, default: 0] += 1 }
            record.payments.merge(payments) { known, _ in known }
        case .tell(let transaction, let type):
            told[transaction, default: 0] += 1
            try device.tell(of: transaction, as: type)
        case .holdUp(let transaction, let type):
            told[transaction, default: 0] += 1
            try device.tell(of: transaction, as: type, isHeldUp: true)
        case .letThrough:
            try device.letThrough()
        case .awaitTold(let transaction):
            try await awaitTold(transaction)
        case .await(let order, let state):
            try await wait(for: order, toBe: state)
        case .insertRefused(let refused):
            record.refusals[refused] = try await constraint(refusing: refused)
        }
    }

    // MARK: Uploading

    private mutating func upload(_ uploads: [PlannedUpload]) async throws {
        let begun = Date()
        try await send(uploads)
        record.told.note(.upload(uploads), since: begun)
    }

    private mutating func send(_ uploads: [PlannedUpload]) async throws {
        var texts: [(PlannedUpload, String)] = []
        for upload in uploads {
            let text = try device.text(of: upload.proof)
            lastProofs[upload.order] = text
            lastPlanned[upload.order] = upload.proof
            record.uploads += upload.copies
            texts += Array(repeating: (upload, text), count: upload.copies)
        }
        guard texts.count > 1 else { return try await send(texts[0].1, texts[0].0) }
        try await withThrowingTaskGroup { group in
            for (upload, text) in texts {
                group.addTask { [self] in try await send(text, upload) }
            }
            try await group.waitForAll()
        }
    }

    private func send(_ text: String, _ upload: PlannedUpload) async throws {
        let order = purchase.orders[upload.order]
        switch upload.way {
        case .insert: try await shop.upload(text, for: order.id, of: order.accountID)
        case .insertNamingAccount: try await shop.upload(text, for: order.id, naming: order.accountID)
        case .insertNamingTransaction(let hint):
            try await shop.upload(text, for: order.id, of: order.accountID, hint: purchase.transactions[hint].id)
        case .insertNaming(let hint): try await shop.upload(text, for: order.id, of: order.accountID, hint: hint)
        case .submit: try await shop.submit(text, for: order)
        case .recover: try await shop.submit(text, for: order, recovers: true)
        }
    }

    // MARK: Polling

    private mutating func follow(_ number: Int) async throws {
        let order = purchase.orders[number]
        var further = order.furtherProofs[...]
        var interval = Duration.milliseconds(100)
        var pause = Duration.milliseconds(500)
        var wait = 0
        while let status = try await poll(number, wait: wait)?.outcome {
            // After the action wait, the next poll lets the gateway wait for an answer.
            wait = status.clientAction == "wait" ? 1 : 0
            switch status.clientAction {
            case "wait":
                try await Task.sleep(for: interval)
                interval = min(interval * 1.5, .seconds(1))
            case "finish":
                if let transaction = status.transactionID { device.finish(transaction) }
                return
            case "upload_proof", "resend_proof":
                if let next = further.popFirst() {
                    try await upload([PlannedUpload(order: number, proof: next)])
                } else if order.isPersistent, let last = lastProofs[number] {
                    // The customer comes back after a while; the client has nothing newer to send.
                    try await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(4))
                    record.uploads += 1
                    let begun = Date()
                    try await shop.submit(last, for: order)
                    if let proof = lastPlanned[number] {
                        record.told.note(.upload([PlannedUpload(order: number, proof: proof, way: .submit)]), since: begun)
                    }
                } else {
                    return
                }
            default:
                return
            }
        }
    }

    /// Where an order is; nil, and a trouble, when it is nowhere, or not at rest when time is up.
    private mutating func poll(_ number: Int, wait: Int = 0) async throws -> StatusReader.Status? {
        let order = purchase.orders[number]
        let asked = Date()
        guard let status = try await statuses.status(of: order, wait: wait) else {
            record.troubles.append("order \(order.id) is not in the database")
            return nil
        }
        record.notePoll(of: number, status.outcome)
        try await note(status, of: number, asked: asked)
        guard ContinuousClock.now < deadline else {
            record.troubles.append("order \(order.id) never came to rest: \(status.outcome.details)")
            return nil
        }
        return status
    }

    /// Notes what a poll answered. Where that is another answer than before, the client asks about all else, too.
    private mutating func note(_ status: StatusReader.Status, of number: Int, asked: Date) async throws {
        if status.job != 0 { jobs[number, default: []].insert(status.job) }
        let answer = Answer(.order(number), status.outcome, during: asked...max(asked, Date()))
        guard record.told.note(answer) else { return }
        for answer in try await statuses.answers(
            about: purchase, asOrder: number, jobs: jobs[number, default: []], paid: Set(record.payments.keys))
        {
            record.told.note(answer)
        }
    }

    /// Waits until nothing is pending.
    private mutating func see(_ number: Int, in state: OrderState) async throws {
        while let status = try await poll(number) {
            guard !status.isPending else {
                try await Task.sleep(for: .milliseconds(200))
                continue
            }
            if status.outcome.state != state.rawValue {
                record.troubles.append(
                    "order \(purchase.orders[number].id) was to be \(state.rawValue) by then, and was \(status.outcome.details)")
            }
            return
        }
    }

    /// Waits without a client, whatever is pending.
    private mutating func wait(for number: Int, toBe state: OrderState) async throws {
        while let status = try await poll(number), status.outcome.state != state.rawValue {
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private mutating func awaitTold(_ number: Int) async throws {
        let id = purchase.transactions[number].id
        for look in 1... {
            guard try await shopOperator.countTold(of: id) < told[number, default: 0] else { return }
            if look % 20 == 0 { try device.repeatWords() }
            guard ContinuousClock.now < deadline else {
                record.troubles.append("what Apple told of transaction \(id) was never recorded")
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private mutating func find(_ order: PlannedOrder) async throws {
        let found = try await shop.openOrders(of: order.accountID, order.product)
        if found != [order.id] {
            record.troubles.append("open_orders named \(found) where it should have found \(order.id)")
        }
    }

    // MARK: Odd moments

    /// Holds the cancelled order until the App Store is being asked, so that the job runs when the cancelling commits.
    private mutating func cancel(whileRunning upload: PlannedUpload) async throws {
        guard case .receipt(let number) = upload.proof else {
            preconditionFailure("the App Store is asked about receipts only")
        }
        let text = try device.text(of: upload.proof)
        let receipt = device.receiptID(number)
        record.uploads += 1
        try await shop.cancel(purchase.orders[upload.order].id, why: "the customer changed their mind") { [self] in
            try await send(text, upload)
            _ = try await before(deadline, waitingFor: "a call about the receipt of \(purchase.orders[upload.order].id)") {
                try await simulator.statistics { $0.calls(about: receipt) > 0 }
            }
        }
    }

    /// The constraint that refuses something; nil when it is taken.
    private func constraint(refusing refused: RefusedInsert) async throws -> String? {
        do {
            try await insert(refused)
            return nil
        } catch let error as PostgresError {
            guard error.kind == .server else { throw error }
            return error.constraint ?? error.sqlState?.rawValue
        } catch let refusal as ShopGateway.Refusal {
            // A gateway answers the same for an order of another account and for an unknown one.
            if refused == .jobOfAnotherAccount, refusal.rule == RefusedInsert.jobOfUnknownOrder.constraint {
                return refused.constraint
            }
            return refusal.rule ?? refusal.name
        }
    }

    private func insert(_ refused: RefusedInsert) async throws {
        let known = purchase.orders[0]
        var other = known
        switch refused {
        case .jobOfUnknownOrder:
            try await shop.upload("proof", for: known.id + "-unknown", of: known.accountID)
        case .jobOfAnotherAccount:
            try await shop.upload("proof", for: known.id, naming: known.accountID + "-else")
        case .emptyProof:
            try await shop.upload("", for: known.id, of: known.accountID)
        case .orderOfUnknownApp:
            other.id += "-elsewhere"
            other.app = .elsewhere
            try await shop.place(other)
        case .orderWithOtherContent:
            other.product = .chest
            try await shop.submit("proof", for: other)
        case .orderOfElevenUnits:
            other.id += "-many"
            other.quantity = 11
            try await shop.place(other)
        }
    }
}
