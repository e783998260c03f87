// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import InMemoryLogging
import Logging
import Testing
import Verification

/// verifyReceipt over real HTTPS.
@Suite
struct VerifyReceiptClientTests {
    @Test(arguments: [false, true])
    func purchasesOfAReceiptAreFound(offersHTTP2: Bool) async throws {
        let receipt = SimulatedStore.receipt(count: 40)

        let finding = try await SimulatedStore.withRunning(offersHTTP2: offersHTTP2) { store in
            try await store.finding(in: receipt.base64)
        }

        #expect(finding.transactionIDs == Set(receipt.transactions.map(\.transactionId)))
    }

    @Test
    func everyFactOfASubscriptionArrives() async throws {
        let token = UUID()
        var receipt = SimulatedStore.receipt(type: .autoRenewable)
        receipt.transactions[0].appAccountToken = token
        receipt.transactions[0].revocationDate = SigningFixture.purchaseDate.addingTimeInterval(3600)
        receipt.transactions[0].inAppOwnershipType = "FAMILY_SHARED"
        let bought = receipt.transactions[0]

        let finding = try await SimulatedStore.withRunning { [receipt] store in
            store.simulator.remember(receipt.transactions)
            return try await store.finding(in: receipt.base64)
        }

        guard case .transactions(let found) = finding, let asOf = found.first?.revocation?.asOf else {
            Issue.record("no refund: \(finding)")
            return
        }
        let expected = Transaction(
            bundleID: SimulatedStore.bundleID, environment: .production,
            id: TransactionID(rawValue: bought.transactionId),
            originalID: TransactionID(rawValue: bought.transactionId),
            webOrderLineItemID: bought.webOrderLineItemId, productID: ProductID(rawValue: bought.productId),
            purchaseDate: bought.purchaseDate, expiresDate: bought.expiresDate, endAsOf: asOf,
            revocation: bought.revocationDate.map { .whole($0, by: .receipt, asOf: asOf) }, appAccountToken: token,
            ownership: .familyShared, originalPurchaseDate: bought.originalPurchaseDate
        )
        #expect(finding == .transactions([expected]))
        #expect(asOf >= SigningFixture.purchaseDate && asOf <= Date(), "the answer's own time")
    }

    @Test
    func sandboxReceiptIsSentToSandboxAndFoundThere() async throws {
        let receipt = SimulatedStore.receipt(in: .sandbox)

        let (atProduction, atSandbox) = try await SimulatedStore.withRunning { store in
            (
                try await store.finding(in: receipt.base64),
                try await store.finding(in: receipt.base64, at: .verifyReceipt(.sandbox))
            )
        }

        #expect(atProduction == .elsewhere(.sandbox))
        #expect(atSandbox.transactionIDs == Set(receipt.transactions.map(\.transactionId)))
    }

    @Test
    func productionReceiptIsSentBackFromSandbox() async throws {
        let receipt = SimulatedStore.receipt()

        let finding = try await SimulatedStore.withRunning { store in
            try await store.finding(in: receipt.base64, at: .verifyReceipt(.sandbox))
        }

        #expect(finding == .elsewhere(.production))
    }

    @Test
    func emptyReceiptIsAuthentic() async throws {
        let finding = try await SimulatedStore.withRunning { store in
            try await store.finding(in: SimulatedStore.receipt(count: 0).base64)
        }

        #expect(finding == .transactions([]))
    }

    @Test(
        arguments: [
            (21000, nil, Finding.misconfigured), (21001, nil, .unknownAnswer),
            (21002, nil, .failure(.uncertain(.rejected), .malformedProof)), (21003, nil, .refused(.notAuthentic)),
            (21004, nil, .credentialRefused), (21005, nil, .unavailable), (21007, nil, .elsewhere(.sandbox)),
            (21008, nil, .unknownAnswer), (21009, nil, .unavailable), (21010, nil, .refused(.customerNotFound)),
            (21100, nil, .unknownAnswer), (21199, RetryableField(.underscored, .number(1)), .unavailable),
            (21150, RetryableField(.dashed, .boolean(true)), .unavailable),
            (21150, RetryableField(.dashed, .number(0)), .failure(.needsAPerson, .unknownAnswer)),
            (21150, RetryableField(.underscored, .boolean(false)), .failure(.needsAPerson, .unknownAnswer)),
            (31337, nil, .unknownAnswer),
        ] as [(Int, RetryableField?, Finding)])
    func statusIsReadAsDocumented(code: Int, retryable: RetryableField?, expected: Finding) async throws {
        let finding = try await Self.finding(under: .status(code: code, retryable: retryable))

        #expect(finding == expected)
    }

    @Test(arguments: [
        Fault.http(code: 500), .http(code: 503), .http(code: 429), .disconnect, .reset, .html, .truncatedJSON,
        .invalidJSON, .statusMissing, .statusNotInteger,
    ])
    func brokenAnswerIsTransient(fault: Fault) async throws {
        #expect(try await Self.finding(under: fault) == .unavailable)
    }

    @Test(arguments: [Fault.stall, .slowHeaders(.seconds(8)), .slowBody(.seconds(8))])
    func deadlineHoldsWhateverTheOtherSideDoes(fault: Fault) async throws {
        let (finding, elapsed) = try await SimulatedStore.withRunning { store in
            store.simulator.setFaults(.always(fault), for: .verifyReceipt)
            let started = ContinuousClock.now
            let finding = try await store.finding(in: SimulatedStore.receipt().base64, within: .seconds(1))
            return (finding, started.duration(to: .now))
        }

        #expect(finding == .unavailable)
        #expect(elapsed >= .seconds(1) && elapsed < .seconds(8))
    }

    @Test
    func callIsNotMadeAfterItsDeadline() async throws {
        let (finding, calls) = try await SimulatedStore.withRunning { store in
            (
                try await store.finding(in: SimulatedStore.receipt().base64, within: .seconds(-1)),
                store.simulator.statistics.calls(to: .verifyReceipt)
            )
        }

        #expect(finding == .unavailable)
        #expect(calls == 0)
    }

    @Test
    func cancelledCallEndsAtOnceAsTransient() async throws {
        let receipt = SimulatedStore.receipt()
        let started = ContinuousClock.now

        let finding = try await SimulatedStore.withRunning { store in
            store.simulator.setFaults(.always(.stall), for: .verifyReceipt)
            return try await withThrowingTaskGroup(of: Finding.self) { group in
                group.addTask { try await store.finding(in: receipt.base64, within: .seconds(600)) }
                _ = try await store.simulator.statistics { $0.inFlight == 1 }
                group.cancelAll()
                return try await group.next()
            }
        }

        #expect(finding == .unavailable)
        #expect(started.duration(to: .now) < .seconds(60))
    }

    @Test
    func redirectIsNotFollowed() async throws {
        let (finding, sandboxCalls) = try await SimulatedStore.withRunning { store in
            let elsewhere = "https://sandbox.itunes.apple.com:\(store.simulator.sandboxPort)/verifyReceipt"
            store.simulator.setFaults(.always(.redirect(location: elsewhere)), for: .verifyReceipt, in: .production)
            return (
                try await store.finding(in: SimulatedStore.receipt().base64),
                store.simulator.statistics.calls(to: .verifyReceipt, in: .sandbox)
            )
        }

        #expect(finding == .unavailable)
        #expect(sandboxCalls == 0)
    }

    @Test(arguments: [(429, "30", Duration.seconds(30)), (503, "7200", .seconds(3600)), (503, "soon", nil)])
    func waitThatIsAskedForIsPassedOn(code: Int, header: String, wait: Duration?) async throws {
        let failure = try await SimulatedStore.withRunning { store in
            store.simulator.setFaults(.always(.http(code: code, retryAfter: header)), for: .verifyReceipt)
            return try await store.failure(in: SimulatedStore.receipt().base64)
        }

        #expect(failure?.kind == .transient)
        #expect(failure?.retryAfter == wait)
    }

    @Test
    func answerAboveTheLimitIsNotRead() async throws {
        let finding = try await SimulatedStore.withRunning { configuration, _ in
            configuration.maximumResponseBytes = 100_000
        } body: { store in
            store.simulator.setFaults(.always(.oversizedBody(bytes: 100_000)), for: .verifyReceipt)
            return try await store.finding(in: SimulatedStore.receipt().base64)
        }

        #expect(finding == .unknownAnswer)
    }

    @Test
    func answerOfMegabytesIsReadWithinTheLimit() async throws {
        let receipt = SimulatedStore.receipt(type: .autoRenewable, count: 1500)

        let finding = try await SimulatedStore.withRunning { store in
            try await store.finding(in: receipt.base64)
        }

        #expect(finding.transactionIDs.count == 1500)
    }

    @Test
    func certificateOfAnUnknownAuthorityIsRefused() async throws {
        let (failure, calls) = try await SimulatedStore.withRunning { configuration, simulator in
            configuration.productionReceiptURL = "https://localhost:\(simulator.foreignCertificatePort)"
            configuration.connectTimeout = .seconds(3)
        } body: { store in
            (
                try await store.failure(in: SimulatedStore.receipt().base64),
                store.simulator.statistics.calls(to: .verifyReceipt)
            )
        }

        #expect(failure.map(Finding.init) == .unavailable)
        #expect(failure?.message == "verifyReceipt: TLS failed")
        #expect(calls == 0)
    }

    /// The simulator's certificate is also for 127.0.0.1, which is where the connection goes; that mustn't be enough.
    @Test(arguments: [false, true])
    func certificateForAnotherHostIsRefused(offersHTTP2: Bool) async throws {
        let (failures, calls) = try await SimulatedStore.withRunning(offersHTTP2: offersHTTP2) {
            configuration, simulator in
            configuration.productionReceiptURL = "https://shop.example.com:\(simulator.productionPort)"
            configuration.dnsOverride = ["shop.example.com": "127.0.0.1"]
        } body: { store in
            var failures: [VerificationFailure?] = []
            for _ in 0..<3 { failures.append(try await store.failure(in: SimulatedStore.receipt().base64)) }
            return (failures, store.simulator.statistics.calls(to: .verifyReceipt))
        }

        #expect(failures.map { $0.map(Finding.init) } == [.unavailable, .unavailable, .unavailable])
        #expect(failures.allSatisfy { $0?.message == "verifyReceipt: TLS failed" })
        #expect(calls == 0)
    }

    @Test
    func hostMayBeAnAddressThatTheCertificateIsFor() async throws {
        let finding = try await SimulatedStore.withRunning { configuration, simulator in
            configuration.productionReceiptURL = "https://127.0.0.1:\(simulator.productionPort)"
        } body: { store in
            try await store.finding(in: SimulatedStore.receipt().base64)
        }

        #expect(finding.transactionIDs.count == 1)
    }

    @Test
    func simulatorIsNotTrustedWithoutBeingNamed() async throws {
        let failure = try await SimulatedStore.withRunning { configuration, _ in
            configuration.additionalTLSRoots = nil
            configuration.connectTimeout = .seconds(3)
        } body: { store in
            try await store.failure(in: SimulatedStore.receipt().base64)
        }

        #expect(failure?.message == "verifyReceipt: TLS failed")
    }

    @Test
    func hostThatIsDownIsTransient() async throws {
        let failure = try await SimulatedStore.withRunning { configuration, _ in
            configuration.productionReceiptURL = "https://127.0.0.1:1"
            configuration.connectTimeout = .seconds(3)
        } body: { store in
            try await store.failure(in: SimulatedStore.receipt().base64)
        }

        #expect(failure.map(Finding.init) == .unavailable)
        #expect(failure?.message == "verifyReceipt: the connection failed or broke")
    }

    @Test
    func noMoreConnectionsAreOpenedThanAllowed() async throws {
        let most = try await SimulatedStore.withRunning { configuration, _ in
            configuration.connections = 2
        } body: { store in
            store.simulator.setFaults(.always(.slowHeaders(.milliseconds(100))), for: .verifyReceipt)
            let receipt = try SimulatedStore.receipt().base64
            try await withThrowingTaskGroup(of: Finding.self) { group in
                for _ in 0..<8 { group.addTask { try await store.finding(in: receipt) } }
                for try await finding in group { #expect(finding.transactionIDs.count == 1) }
            }
            return store.simulator.statistics.inFlightMaximum
        }

        #expect(most == 2)
    }

    @Test
    func subscriptionNeedsTheRightSecret() async throws {
        var findings: [String: Finding] = [:]

        for (name, secret) in [("right", SimulatedStore.secret), ("wrong", "0123456789"), ("none", nil)] {
            findings[name] = try await SimulatedStore.withRunning(secret: secret) { store in
                let receipt = SimulatedStore.receipt(type: .autoRenewable, signedBy: store.simulator.authority)
                return try await store.finding(in: receipt.base64)
            }
        }

        #expect(findings["right"]?.transactionIDs.count == 1)
        #expect(findings["wrong"] == .credentialRefused)
        #expect(findings["none"] == .credentialRefused)
    }

    /// Apple compares the secret with that of the receipt's app. Anybody has receipts of other apps: that mustn't close our gate.
    @Test(arguments: ["org.example.elsewhere", SimulatedStore.bundleID.rawValue], [SimulatedStore.secret, nil])
    func anotherAppsSubscriptionIsNoFaultOfOurSecret(bundleID: String, secret: String?) async throws {
        let isOurs = bundleID == SimulatedStore.bundleID.rawValue
        let finding = try await SimulatedStore.withRunning(secret: secret.map { isOurs ? String($0.reversed()) : $0 }) { store in
            store.simulator.registerApp("org.example.elsewhere", sharedSecret: "of another developer")
            let bought = SimulatedTransaction(
                productId: "pro", bundleId: bundleID, type: .autoRenewable, purchaseDate: SigningFixture.purchaseDate)
            let receipt = SimulatedReceipt(bundleId: bundleID, transactions: [bought], signedBy: store.simulator.authority)
            return try await store.finding(in: receipt.base64)
        }

        #expect(finding == (isOurs ? .credentialRefused : .refused(.wrongApp)))
    }

    // MARK: A secret that is refused for one receipt

    /// Genuine without the secret, and forged: Apple is asked all the same.
    @Test(arguments: [true, false])
    func aReceiptMayBeSentWithoutTheSecret(isAuthentic: Bool) async throws {
        let findings = try await SimulatedStore.withRunning { store in
            let receipt = SimulatedStore.receipt(signedBy: store.simulator.authority)
            var program = ReceiptProgram()
            program.refusesSecret = true
            program.isAuthentic = isAuthentic
            store.simulator.setProgram(program, for: receipt.id)
            let text = try receipt.base64
            let proof = try store.verifier.readProof(text).proof
            let evidence = try await store.verifier.verifyWithoutSecret(
                proof, bundleID: SimulatedStore.bundleID, in: .production, deadline: .now + .seconds(20))
            return [try await store.finding(in: text), Finding(evidence)]
        }

        if isAuthentic {
            #expect(findings[0] == .credentialRefused)
            #expect(findings[1].transactionIDs.count == 1)
        } else {
            #expect(findings == [.refused(.notAuthentic), .refused(.notAuthentic)])
        }
    }

    @Test(arguments: [SimulatedProductType.consumable, .autoRenewable])
    func aReceiptSaysWhoseItIsAndWhetherItNeedsTheSecret(type: SimulatedProductType) async throws {
        let bought = SimulatedTransaction(
            productId: "pro", bundleId: "org.example.elsewhere", type: type, purchaseDate: SigningFixture.purchaseDate)
        let claims = try await SimulatedStore.withRunning { store in
            let receipt = SimulatedReceipt(
                bundleId: "org.example.elsewhere", transactions: [bought], signedBy: store.simulator.authority)
            return store.verifier.claims(of: try store.verifier.readProof(receipt.base64).proof)
        }

        let expected = ReceiptClaims(
            bundleID: BundleID(rawValue: "org.example.elsewhere"), holdsSubscription: type == .autoRenewable)
        #expect(claims == expected)
    }

    @Test
    func whatCanNotBeReadMayNeedTheSecret() async throws {
        let claims = try await SimulatedStore.withRunning { store in
            [Proof.appReceipt("MIIA"), .signedTransaction("eyJ"), .transactionID(TransactionID(rawValue: "1"))]
                .map(store.verifier.claims)
        }

        #expect(claims == Array(repeating: ReceiptClaims(), count: 3))
    }

    @Test
    func secretWithQuotesIsSentWhole() async throws {
        let secret = #"a"b\c"d"#
        let finding = try await SimulatedStore.withRunning(secret: secret) { store in
            store.simulator.registerApp(
                SimulatedStore.bundleID.rawValue, sharedSecret: secret, insistsOnSharedSecret: true
            )
            return try await store.finding(in: SimulatedStore.receipt().base64)
        }

        #expect(finding.transactionIDs.count == 1)
    }

    @Test
    func callIsNotMadeWithASecretThatCanNotBeUsed() async throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "\(SimulatedStore.bundleID.rawValue).shared-secret")
        let (finding, calls) = try await SimulatedStore.withRunning { configuration, _ in
            configuration.credentialsDirectory = folder.path
        } body: { store in
            (
                try await store.finding(in: SimulatedStore.receipt().base64),
                store.simulator.statistics.calls(to: .verifyReceipt)
            )
        }

        #expect(finding == .misconfigured)
        #expect(calls == 0)
    }

    @Test
    func neitherSecretNorProofIsEverToldOf() async throws {
        let faults: [Fault] = [
            .http(code: 500), .http(code: 400), .http(code: 429, retryAfter: "1"),
            .redirect(location: "https://x.example"),
            .stall, .disconnect, .reset, .slowBody(.seconds(8)), .html, .truncatedJSON, .invalidJSON, .statusMissing,
            .statusNotInteger, .oversizedBody(bytes: 40_000_000), .status(code: 21000), .status(code: 21002),
            .status(code: 21004), .status(code: 21005), .status(code: 21150), .status(code: 9),
        ]
        let receipt = try SimulatedStore.receipt(type: .autoRenewable).base64

        let told = try await SimulatedStore.withRunning { store in
            var told = ""
            for fault in faults {
                store.simulator.setFaults(.always(fault), for: .verifyReceipt)
                let failure = try #require(try await store.failure(in: receipt, within: .seconds(1)), "\(fault)")
                told += "\(failure.message)\n\(failure)\n\(String(reflecting: failure))\n"
                dump(failure, to: &told)
            }
            for entry in store.log.entries {
                #expect(entry.level <= .debug)
                told += "\(entry.message) \(entry.metadata)\n"
            }
            return told
        }

        #expect(told.contains("verifyReceipt answered status 21004"))
        #expect(!told.contains(SimulatedStore.secret))
        #expect(!told.contains(receipt.prefix(20)) && !told.contains(receipt.suffix(20)))
    }

    private static func finding(under fault: Fault) async throws -> Finding {
        try await SimulatedStore.withRunning { store in
            store.simulator.setFaults(.always(fault), for: .verifyReceipt)
            return try await store.finding(in: SimulatedStore.receipt(signedBy: store.simulator.authority).base64)
        }
    }
}
