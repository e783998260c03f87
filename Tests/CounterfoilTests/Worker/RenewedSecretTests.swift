// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing

/// Apple refuses an app's shared secret for a receipt of one customer, then for all: a worker's process and a simulated App Store.
@Suite struct RenewedSecretTests {
    private static let secrets = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"]

    @Test(.timeLimit(.minutes(3)))
    func oneReceiptHoldsUpNobodyAndARenewedSecretClosesTheGateUntilItIsMended() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try shop.write(Self.secrets[0])
                simulator.registerApp(Shop.bundle, sharedSecret: Self.secrets[0], insistsOnSharedSecret: true)
                let bad = try shop.receipt()
                var program = ReceiptProgram()
                program.status = 21004
                simulator.setProgram(program, for: bad.id)
                let worker = [
                    "COUNTERFOIL_CREDENTIALS_DIRECTORY": shop.folder.path + "/credentials", "COUNTERFOIL_RETRY_DELAY_CAP": "1s",
                ]

                try await shop.whileWorking(worker) { _ in
                    try await shop.sell(["good-1"])
                    try await shop.submit("bad", proof: try bad.base64, account: "bob")
                    for number in 2...400 {
                        try await shop.sell(["good-\(number)"])
                        if try await shop.order("bad").state == "review" { break }
                    }
                    try await shop.wait(
                        until: "exists (select from counterfoil.orders where reason = 'credential_refused' and state = 'review')")
                    try await shop.wait(until: "not exists (select from counterfoil.gates where state = 'closed')")

                    // Renewed at Apple.
                    simulator.registerApp(Shop.bundle, sharedSecret: Self.secrets[1], insistsOnSharedSecret: true)
                    try await shop.sell((1...5).map { "later-\($0)" }, waits: false)
                    try await shop.wait(
                        until: "exists (select from counterfoil.gates where closed_by = 'configuration' and why like '%renew it%')")
                    try shop.write(Self.secrets[1])
                    try await shop.wait(until: "not exists (select from counterfoil.orders where state = 'open')")
                }

                let late = "order_id <> 'bad' and (state <> 'fulfilled' or attempts > 1)"
                try await shop.wait(until: "not exists (select from counterfoil.orders where \(late))")
                try await shop.wait(until: "not exists (select from counterfoil.gates where state = 'closed')")
            }
        }
    }
}

extension Shop {
    fileprivate func write(_ secret: String) throws {
        let credentials = folder.path + "/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        _ = try folder.write(secret.utf8, to: "credentials/\(Self.bundle).shared-secret")
    }

    /// Customers pay, an account each.
    fileprivate func sell(_ orders: [String], waits: Bool = true) async throws {
        for order in orders { try await submit(order, proof: try receipt().base64, account: "account of \(order)") }
        guard waits else { return }
        for order in orders {
            try await wait(until: "exists (select from counterfoil.orders where order_id = '\(order)' and state = 'fulfilled')")
        }
    }
}
