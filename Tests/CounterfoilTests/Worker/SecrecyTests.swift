// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// Secrets and proofs never reach a log or a process list, however much is logged.
@Suite struct SecrecyTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test(.timeLimit(.minutes(3)))
    func neitherProofNorSecretNorPasswordIsLoggedOrListed() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.registerApp(Shop.bundle, sharedSecret: Self.secret, insistsOnSharedSecret: true)
            try await Shop.run(simulator: simulator) { shop in
                let receipt = try shop.receipt().base64
                let signed = try shop.signedTransaction()
                let forged = try shop.signedTransaction(forged: .payloadSwapped)
                let credentials = shop.folder.path + "/credentials"
                try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
                _ = try shop.folder.write(Self.secret.utf8, to: "credentials/\(Shop.bundle).shared-secret")
                _ = try shop.folder.write("hunter2".utf8, to: "credentials/postgres-password")
                let manager = try NoticeSocket()
                let changes = [
                    "CREDENTIALS_DIRECTORY": credentials, "COUNTERFOIL_LOG_LEVEL": "trace",
                    "COUNTERFOIL_METRICS_ADDRESS": "127.0.0.1:0", "NOTIFY_SOCKET": manager.path,
                    "WATCHDOG_USEC": "300000",
                ]
                try await shop.submit("signed", proof: signed)
                try await shop.submit("forged", proof: forged)
                simulator.setFaults(FaultPlan(nextCalls: [.stall]), for: .verifyReceipt)
                try await shop.submit("receipt", proof: receipt)
                try await shop.execute("update counterfoil.jobs set rescues = 2 where order_id = 'receipt'")
                let listed = Mutex<[String]>([])
                let told = Mutex("")

                let ended = try await shop.whileWorking(changes) { worker in
                    _ = try await simulator.statistics { $0.inFlight > 0 }
                    let lines = ProcessTable.children(of: worker.processID).map(\.commandLine)
                    listed.withLock { $0 = lines + [ProcessTable.commandLine(of: worker.processID) ?? ""] }
                    for child in ProcessTable.children(of: worker.processID) {
                        #expect(child.commandLine.contains("attempt --job"))
                    }
                    try await worker.log.line(containing: "order.id=signed")
                    try await worker.log.line(containing: "order.id=forged")
                    for path in ["/metrics", "/healthz", "/readyz"] {
                        let page = try await MetricsPage.get(path, of: worker)
                        told.withLock { $0 += page.body }
                    }
                    try await manager.line(beginningWith: "STATUS=", count: 2)
                }

                #expect(listed.withLock { $0.count } == 2)
                #expect(told.withLock { $0.contains("counterfoil_grants_total") })
                let everything =
                    ended.errors + listed.withLock { $0.joined(separator: "\n") } + told.withLock { $0 }
                    + manager.lines.joined(separator: "\n")
                for confidential in [Self.secret, "hunter2", signed, forged, receipt] {
                    #expect(!everything.shows(confidential))
                }
                #expect(try await shop.order("signed").state == "fulfilled")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func neitherKeyNorTokenOfTheServerAPIIsLogged() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                try await shop.execute("update counterfoil.apps set receipt_route = 'local_then_api'")
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                let old = Data("{\n\t\"purchase-info\" = \"\(String(repeating: "ewo", count: 60))\";\n}".utf8).base64EncodedString()
                let proofs = [bought.transactionId, try shop.receipt().base64, old, "\(bought.transactionId)0"]
                for (number, proof) in proofs.enumerated() { try await shop.submit("order-\(number)", proof: proof) }
                // A line of the key in PEM: line ends are escaped where it is in JSON.
                let key = try #require(simulator.apiKey().privateKeyPEM.split(separator: "\n").dropFirst().first)
                try #require(key.count > 20)

                let ended = try await shop.whileWorking(
                    shop.serverAPI(simulator).merging(["COUNTERFOIL_LOG_LEVEL": "trace"]) { $1 }
                ) { worker in
                    for number in proofs.indices {
                        try await worker.log.line(containing: "order.id=order-\(number)")
                    }
                }

                #expect(simulator.statistics.calls(aboutTransaction: bought.transactionId) > 0)
                #expect(!ended.errors.contains(key))
                // A token, like everything in JSON that is signed, begins so.
                for sign in ["eyJ", "Bearer"] { #expect(!ended.errors.contains(sign)) }
                for proof in [old, proofs[1]] { #expect(!ended.errors.shows(proof)) }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRefusedSubmissionDoesNotShowItsProof() async throws {
        try await Shop.run { shop in
            let proof = try shop.signedTransaction()

            let ended = try await shop.run(
                ["submit", "--order", "o", "--bundle", "com.example.unknown", "--product", "coins", "--account", "ann"],
                input: proof)

            #expect(ended.status == .exited(1))
            #expect(!(ended.errors + ended.output).shows(proof))
        }
    }
}

extension String {
    /// Whether the beginning or the end of something is in it.
    fileprivate func shows(_ confidential: String) -> Bool {
        contains(confidential.prefix(60)) || contains(confidential.suffix(60))
    }
}
