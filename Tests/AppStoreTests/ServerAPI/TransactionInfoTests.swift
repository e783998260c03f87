// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing
import Verification

/// Get Transaction Info over real HTTPS, and what all calls to the API have in common.
@Suite
struct TransactionInfoTests {
    @Test(arguments: [false, true])
    func everyFactOfATransactionArrives(offersHTTP2: Bool) async throws {
        let token = UUID()
        let refund = SigningFixture.purchaseDate.addingTimeInterval(30)

        let (bought, finding, now) = try await SimulatedAPI.withRunning(offersHTTP2: offersHTTP2) { api in
            let bought = api.bought {
                $0.type = .autoRenewable
                $0.webOrderLineItemId = "480000012345678"
                $0.quantity = 2
                $0.appAccountToken = token
                $0.revocationDate = refund
            }
            return (bought, await api.info(bought.transactionId), api.time.now)
        }

        let expected = Transaction(
            bundleID: SimulatedAPI.bundleID, environment: .production,
            id: TransactionID(rawValue: bought.transactionId),
            originalID: TransactionID(rawValue: bought.transactionId),
            webOrderLineItemID: "480000012345678", productID: ProductID(rawValue: bought.productId),
            productKind: .autoRenewable, quantity: 2, purchaseDate: bought.purchaseDate,
            revocation: .whole(refund, by: .signedTransaction, asOf: now),
            appAccountToken: token, originalPurchaseDate: bought.originalPurchaseDate,
            purchaseReason: .purchase, price: SignedPrice(milliunits: 1990, currency: "USD"),
            customerID: bought.appTransactionId.flatMap { CustomerID($0) }, terms: SignedTerms(storefront: "USA")
        )
        #expect(finding == .transactions([expected]))
    }

    @Test
    func transactionIsFoundInItsEnvironmentOnly() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought(in: .sandbox)

            let production = await api.info(bought.transactionId)
            let sandbox = await api.info(bought.transactionId, in: .sandbox)

            #expect(production == .notFound(4_040_010))
            #expect(sandbox.transactionIDs == [bought.transactionId])
        }
    }

    @Test
    func purchaseThatIsMissingAtFirstIsFoundLater() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            var program = TransactionProgram()
            program.arrival = .call(2)
            api.simulator.setProgram(program, forTransaction: bought.transactionId)

            let first = await api.info(bought.transactionId)
            let second = await api.info(bought.transactionId)

            #expect(first == .notFound(4_040_010))
            #expect(second.transactionIDs == [bought.transactionId])
        }
    }

    @Test
    func refundShowsFromItsMomentOn() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            var program = TransactionProgram()
            program.refund = ReceiptProgram.Refund(at: .call(2))
            api.simulator.setProgram(program, forTransaction: bought.transactionId)

            let findings = [await api.info(bought.transactionId), await api.info(bought.transactionId)]

            let revocations = findings.map { finding in
                if case .transactions(let all) = finding { all.map(\.revocation?.date) } else { [Date?]() }
            }
            #expect(revocations == [[nil], [api.time.now]])
        }
    }

    @Test
    func anotherAppsTransactionIsNotFound() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought { $0.bundleId = "com.example.other" }

            #expect(await api.info(bought.transactionId) == .notFound(4_040_010))
        }
    }

    @Test
    func productionRefusesAnAppThatWasNeverReleased() async throws {
        try await SimulatedAPI.withRunning(isReleased: false) { api in
            let bought = api.bought(in: .sandbox)

            #expect(await api.info(bought.transactionId) == .unauthorized)
            #expect(await api.info(bought.transactionId, in: .sandbox).transactionIDs == [bought.transactionId])
        }
    }

    @Test(arguments: [
        "", " ", "1/finish", "../transactions/1", "..", "1%2Ffinish", "1?x=1", "1#", "1 2", "١٢٣", "-1", "1\r\nX: y",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301", String(repeating: "1", count: 33),
    ])
    func idThatCannotBeApplesIsRefusedWithoutACall(id: String) async throws {
        try await SimulatedAPI.withRunning { api in
            let finding = await api.info(id)

            #expect(finding == .refused(4_000_006))
            #expect(api.simulator.statistics.received.isEmpty)
        }
    }

    @Test
    func signatureThatFailsSpeaksAgainstTheAnswerAndNotTheCustomer() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            for forged in ForgedVariant.forgeries {
                var program = TransactionProgram()
                program.forged = forged
                api.simulator.setProgram(program, forTransaction: bought.transactionId)

                #expect(await api.info(bought.transactionId) == .unknownAnswer, "\(forged)")
            }
        }
    }

    /// An operator may grant the rest.
    @Test
    func oddFactsAreNamedAndTheRestIsKept() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought { $0.quantity = 0 }

            let failure = await api.failure(about: bought.transactionId)

            #expect(failure?.kind == .uncertain(.review))
            #expect(failure?.reason == .unknownAnswer)
            #expect(failure?.message == "Get Transaction Info answered a genuine transaction, and its quantity can't be read")
            #expect(failure?.odd?.faults == ["quantity can't be read"])
            #expect(failure?.odd?.rest?.id.rawValue == bought.transactionId)
        }
    }

    @Test
    func oddFactsUnderAForgedSignatureAreNobodysWord() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought { $0.quantity = 0 }
            var program = TransactionProgram()
            program.forged = .signatureByOtherKey
            api.simulator.setProgram(program, forTransaction: bought.transactionId)

            let failure = await api.failure(about: bought.transactionId)

            #expect(failure?.reason == .unknownAnswer)
            #expect(failure?.odd == nil)
        }
    }

    @Test
    func signerThatMayNotSpeakForTheAppIsNotBelieved() async throws {
        try await SimulatedAPI.withRunning { configuration, _ in
            configuration.extraRoots = []
        } body: { api in
            #expect(await api.info(api.bought().transactionId) == .unknownAnswer)
        }
    }

    @Test
    func keyOfAnotherAccountFindsNothing() async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.registerApp(SimulatedAPI.bundleID.rawValue, account: "another")

            #expect(await api.info(api.bought().transactionId) == .notFound(4_040_010))
        }
    }

    @Test
    func appsOwnKeyGoesBeforeTheOneForAll() async throws {
        try await SimulatedAPI.withRunning { api in
            api.simulator.registerApp(SimulatedAPI.bundleID.rawValue, account: "another")
            let key = api.simulator.apiKey(ofAccount: "another").credential
            try api.folder.write(Array(key.utf8), to: SimulatedAPI.bundleID.rawValue + ".server-api-key")
            let bought = api.bought()

            let before = await api.info(bought.transactionId)
            api.credentials.reload()
            let after = await api.info(bought.transactionId)

            #expect(before == .notFound(4_040_010))
            #expect(after.transactionIDs == [bought.transactionId])
        }
    }

    @Test
    func callIsNotMadeWithoutAKey() async throws {
        try await SimulatedAPI.withRunning(credential: "{}") { api in
            let finding = await api.info("1")

            #expect(finding == .misconfigured)
            #expect(api.simulator.statistics.received.isEmpty)
        }
    }
}
