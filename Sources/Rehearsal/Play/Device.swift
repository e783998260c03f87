// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import FoundationEssentials

/// A customer's device: pays at the simulated App Store, holds receipts and signed transactions, finishes what it is told.
package struct Device {
    private let purchase: Purchase
    private let simulator: AppStoreSimulator
    private var paid: [Int: SimulatedTransaction] = [:]
    private var receipts: [Int: String] = [:]
    private var kept: [PlannedProof: String] = [:]
    private var finished: Set<String> = []

    package init(_ purchase: Purchase, simulator: AppStoreSimulator) {
        self.purchase = purchase
        self.simulator = simulator
    }

    /// - Returns: what the App Store has on record of it.
    package mutating func pay(_ transaction: Int) -> PlayRecord.Payment {
        let made = purchase.transactions[transaction].transaction(now: Date())
        paid[transaction] = made
        simulator.remember([made])
        if let call = purchase.transactions[transaction].arrivalCall {
            var program = TransactionProgram()
            program.arrival = .call(call)
            simulator.setProgram(program, forTransaction: made.transactionId)
        }
        return PlayRecord.Payment(purchaseDate: made.purchaseDate, expiresDate: made.expiresDate)
    }

    /// The App Store takes a payment back; what is asked for from now on says so.
    package mutating func refund(_ transaction: Int) {
        guard var made = paid[transaction] else { return }
        made.signedDate = Date()
        made.revocationDate = made.signedDate
        made.revocationReason = 0
        paid[transaction] = made
        simulator.remember([made])
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
        case .transactionReceipt(let transaction):
            return SimulatedTransactionReceipt(transaction: self.transaction(transaction)).base64
        case .transactionID(let transaction):
            return purchase.transactions[transaction].id
        case .text(let text):
            return text
        case .damaged(let whole, let damage):
            return damage.applied(to: try text(of: whole))
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
        return try receipt.signed(by: simulator.authority, as: signature, forged: planned.forged)
    }

    private func receipt(_ planned: PlannedReceipt, of transactions: [SimulatedTransaction]) -> SimulatedReceipt {
        var receipt = SimulatedReceipt(
            bundleId: planned.app.bundleID, environment: planned.environment, transactions: transactions)
        receipt.opaqueValue = planned.opaqueValue
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
