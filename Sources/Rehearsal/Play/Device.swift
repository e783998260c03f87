// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import FoundationEssentials

/// A customer's device: pays at the simulated App Store, holds receipts and signed transactions, finishes what it is told.
package struct Device {
    let purchase: Purchase
    let simulator: AppStoreSimulator
    private var paid: [Int: SimulatedTransaction] = [:]
    private var receipts: [Int: String] = [:]
    private var kept: [PlannedProof: String] = [:]
    private var finished: Set<String> = []
    private var heldUp: [SimulatedNotification] = []
    /// Words that Apple signed before the play began, and those of the sandbox.
    private var repeated: [SimulatedNotification] = []
    /// Of lives that have begun, by their number.
    var introductions: [Int: SimulatedNotification] = [:]
    private var lastMoment = Date.distantPast

    package init(_ purchase: Purchase, simulator: AppStoreSimulator) {
        self.purchase = purchase
        self.simulator = simulator
    }

    /// - Returns: what the App Store has on record of it.
    package mutating func pay(_ transaction: Int) -> PlayRecord.Payment {
        let made = purchase.transactions[transaction].transaction(now: moment())
        record(made, transaction)
        if let call = purchase.transactions[transaction].arrivalCall {
            var program = TransactionProgram()
            program.arrival = .call(call)
            simulator.setProgram(program, forTransaction: made.transactionId)
        }
        return PlayRecord.Payment(purchaseDate: made.purchaseDate, expiresDate: made.expiresDate)
    }

    /// The App Store takes a payment back, or a part of it; what is asked for from now on says so.
    package mutating func refund(_ transaction: Int, _ refund: PlannedRefund) {
        change(transaction) { refund.write(to: &$0, at: $0.signedDate) }
    }

    /// The App Store gives a payment back.
    package mutating func reverse(_ transaction: Int) {
        change(transaction) { PlannedRefund(isDated: false).write(to: &$0, at: $0.signedDate) }
    }

    /// A period gives way to another.
    package mutating func upgrade(_ transaction: Int, to newer: Int, hours: Double) {
        let date = paid[newer]?.purchaseDate.addingTimeInterval(hours * 3600)
        change(transaction) { made in
            made.isUpgraded = true
            made.upgradeDate = date
        }
    }

    /// Apple tells the shop of a payment, as it is now on record.
    ///
    /// - Parameter isHeldUp: whether it arrives only with ``letThrough()``.
    package mutating func tell(of transaction: Int, as type: String, isHeldUp: Bool = false) throws {
        guard let made = paid[transaction] else { return }
        let notification = SimulatedNotification(type, about: made, date: moment())
        if isHeldUp {
            heldUp.append(notification)
        } else {
            try send(notification)
        }
    }

    /// What was held up arrives, the latest first.
    package mutating func letThrough() throws {
        for notification in heldUp.reversed() { try send(notification) }
        heldUp = []
    }

    /// Sends some words once more that a busy intake refused, and that Apple's history brings after the play at the earliest: what
    /// Apple signed before it began, and what it tries once alone, as in the sandbox.
    package func repeatWords() throws {
        for notification in repeated { try simulator.send(notification) }
    }

    mutating func send(_ notification: SimulatedNotification) throws {
        let isEarly = notification.date < Date().addingTimeInterval(-3600)
        if isEarly || notification.environment == .sandbox { repeated.append(notification) }
        try simulator.send(notification)
    }

    /// Changes what the App Store has on record of a payment, and signs it anew.
    private mutating func change(_ transaction: Int, _ change: (inout SimulatedTransaction) -> Void) {
        guard var made = paid[transaction] else { return }
        made.signedDate = moment()
        change(&made)
        record(made, transaction)
    }

    private mutating func record(_ made: SimulatedTransaction, _ transaction: Int) {
        paid[transaction] = made
        simulator.remember([made])
    }

    /// What the client shows from now on.
    mutating func hold(_ made: SimulatedTransaction, as number: Int) { paid[number] = made }

    /// Arrives only with ``letThrough()``.
    mutating func hold(_ notification: SimulatedNotification) { heldUp.append(notification) }

    /// Now, and later than any moment before, also by Apple's milliseconds.
    mutating func moment() -> Date {
        lastMoment = max(Date(), lastMoment.addingTimeInterval(0.002))
        return lastMoment
    }

    /// Tells the App Store that the customer has what was paid for: a consumable leaves the next receipt.
    package mutating func finish(_ transactionID: String) {
        finished.insert(transactionID)
    }

    /// Makes a proof now, which stays as it is.
    package mutating func keep(_ proof: PlannedProof) throws {
        kept[proof] = try text(of: proof)
    }

    /// What the client uploads. A receipt is made once and keeps its bytes.
    package mutating func text(of proof: PlannedProof) throws -> String {
        if let text = kept[proof] { return text }
        switch proof {
        case .signed(let transaction, let forged):
            return try self.transaction(transaction).signedTransaction(by: simulator.authority, forged: forged)
        case .receipt(let number):
            if let made = receipts[number] { return made }
            let made = try makeReceipt(purchase.receipts[number])
            receipts[number] = made
            return made
        case .transactionID(let transaction):
            return purchase.transactions[transaction].id
        case .text(let text):
            return text
        case .damaged(let whole, let damage):
            return damage.applied(to: try text(of: whole))
        case .copy(let original, _):
            return try text(of: original)
        }
    }

    /// What the simulator knows a receipt of the plan by.
    package func receiptID(_ number: Int) -> ReceiptID {
        receipt(purchase.receipts[number], of: []).id
    }

    /// What was paid, or what a forger makes up.
    private func transaction(_ number: Int) -> SimulatedTransaction {
        paid[number] ?? purchase.transactions[number].transaction(now: Date())
    }

    private func makeReceipt(_ planned: PlannedReceipt) throws -> String {
        let held = planned.transactions.filter { number in
            let transaction = purchase.transactions[number]
            return !(transaction.isConsumed && finished.contains(transaction.id))
        }
        let receipt = receipt(planned, of: held.map(transaction))
        if let program = program(planned) { simulator.setProgram(program, for: receipt.id) }
        var signature = ReceiptSignature()
        signature.digest = planned.digest
        signature.addsCertificate = planned.addsCertificate
        return try receipt.signed(by: simulator.authority, as: signature, forged: planned.forged)
    }

    private func receipt(_ planned: PlannedReceipt, of transactions: [SimulatedTransaction]) -> SimulatedReceipt {
        var receipt = SimulatedReceipt(
            bundleId: planned.app.bundleID, environment: planned.environment, transactions: transactions, creationDate: Date())
        receipt.opaqueValue = planned.opaqueValue
        if let type = planned.type { receipt.receiptType = type }
        return receipt
    }

    private func program(_ planned: PlannedReceipt) -> ReceiptProgram? {
        var program = ReceiptProgram()
        program.isAuthentic = planned.isAuthentic
        program.status = planned.status
        program.emptyUntil = planned.emptyUntilCall.map { .call($0) }
        for (transaction, call) in planned.arrivals {
            program.arrivals[purchase.transactions[transaction].id] = .call(call)
        }
        return program == ReceiptProgram() ? nil : program
    }
}
