// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import FoundationEssentials
import Postgres
import Schema
import Verification
import VerificationQueue

/// The findings about each app at Apple: its credentials, and the arrival of notifications.
extension Doctor {
    /// How long Apple may take for one answer.
    private static let patience = Duration.seconds(15)

    /// Apps that are looked at together, and calls to one of Apple's hosts at a time.
    private static let appsAtOnce = 8

    /// By app, accounts whose payments Apple signed and doesn't know by a key that has found none.
    func unfoundAccounts(_ connection: PostgresConnection) async throws -> [BundleID: Int] {
        let rows = try await connection.execute(
            SQLFile.findUnfoundPayments.statement, [.double(KeyStanding.secondsBetweenAnswers)])
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let row = row.named(by: UnfoundColumn.self)
                return (BundleID(rawValue: try row.string(.bundleID)), Int(try row.int32(.accounts)))
            })
    }

    /// - Parameter unfound: by app, from ``unfoundAccounts(_:)``.
    func apps(
        _ routes: [AppRoute], unfound: [BundleID: Int], _ connection: PostgresConnection
    ) async -> [DoctorFinding] {
        guard !routes.isEmpty else {
            return [.warning("apps", "there is none to verify for", mend: "counterfoil apps add")]
        }
        let verifier: AppStoreVerifier
        do {
            verifier = try assembly.makeVerifier(connections: Self.appsAtOnce)
        } catch {
            return [.wrong("App Store", CommandFailure(error).description, mend: "mend that variable")]
        }
        var findings = verifier.credentials.faults.map { name, problem in
            DoctorFinding.wrong("credential \(name)", "it \(problem)", mend: "put a good file into the credentials directory")
        }
        findings += strayCredentials(verifier.credentials.bundleIDs, apps: routes.map(\.bundleID))
        // Together: where Apple is away, or no worker runs, each app takes the whole patience.
        findings += await routes.concurrentMap(atMost: Self.appsAtOnce) { route in
            await app(route, unfound: unfound[route.bundleID] ?? 0, verifier, connection)
        }.flatMap(\.self)
        try? await verifier.shutdown()
        return findings
    }

    private func app(
        _ route: AppRoute, unfound: Int, _ verifier: AppStoreVerifier, _ connection: PostgresConnection
    ) async -> [DoctorFinding] {
        let bundle = route.bundleID
        // A secret or a key that can't be used has its own finding.
        let hasKey = verifier.credentials.hasServerAPIKey(for: bundle)
        let hasSecret = ((try? verifier.credentials.sharedSecret(for: bundle)) ?? nil) != nil
        var findings = [route.finding(hasKey: hasKey, hasSecret: hasSecret)]
        if route.receiptRoute == .verifyReceipt { findings.append(await verifyReceipt(of: bundle, verifier)) }
        // Bare ids and `orders assign` use a key that is there, whatever the app's route.
        if route.needsKey || hasKey { findings.append(await serverAPIKey(of: bundle, verifier, unfound)) }
        if hasKey { findings.append(await notifications(of: bundle, verifier, connection)) }
        return findings
    }

    /// Files for apps that aren't listed: misspelt, or of an app that was never added.
    private func strayCredentials(_ named: Set<BundleID>, apps: [BundleID]) -> [DoctorFinding] {
        let names = apps.map(\.rawValue)
        return named.subtracting(apps).map(\.rawValue).sorted().map { name in
            let nearest = NearestName.find(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
            return .warning(
                "credentials", "there are files for \(name), which is no app here\(nearest)",
                mend: "rename the files, or counterfoil apps add \(name)")
        }
    }

    /// The subject of the finding about an app's key.
    static func serverAPI(of bundle: String) -> String { "App Store Server API of \(bundle)" }

    /// Asks about a transaction that can't exist. Apple's answer "not found" means that it takes the key. Production refuses every
    /// key of an app that was never released: the sandbox's answer counts then. Customers' payments show whose account the key is
    /// of.
    private func serverAPIKey(of bundle: BundleID, _ verifier: AppStoreVerifier, _ unfound: Int) async -> DoctorFinding {
        let subject = Self.serverAPI(of: bundle.rawValue)
        do {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let answer = try await verifier.lookUp(
                    TransactionID(rawValue: "1"), bundleID: bundle, in: environment, startingBy: nil,
                    deadline: .now + Self.patience)
                switch answer {
                case .unauthorized: continue
                case .found, .notFound, .refused:
                    guard unfound == 0 else {
                        return foreignKey(of: bundle, subject, KeyStanding(hasFound: false, unfoundAccounts: unfound))
                    }
                    let isReleased = environment == .production
                    return .ok(subject, "Apple takes the app's key" + (isReleased ? "" : "; the app isn't released yet"))
                }
            }
            return .wrong(
                subject, "Apple refuses the app's key, in the sandbox too",
                mend: "see issuer id, key id and key in \(bundle.rawValue).server-api-key or default.server-api-key")
        } catch {
            return finding(subject, error)
        }
    }

    private func foreignKey(of bundle: BundleID, _ subject: String, _ standing: KeyStanding) -> DoctorFinding {
        let mend =
            "put a key of the account that owns the app into \(bundle.rawValue).server-api-key or default.server-api-key; "
            + "the gate opens by itself"
        guard standing.fault == .credential else {
            return .warning(
                subject,
                "Apple takes the app's key, and knows no payment by it so far, not those of \(standing.unfoundAccounts) accounts that it "
                    + "signed: see whether the key belongs to the app's account", mend: mend)
        }
        return .wrong(subject, standing.message, mend: mend)
    }

    /// Has Apple send a test notification, and waits until a worker has verified it.
    private func notifications(
        of bundle: BundleID, _ verifier: AppStoreVerifier, _ connection: PostgresConnection
    ) async -> DoctorFinding {
        let subject = "notifications of \(bundle.rawValue)"
        let start = Date().addingTimeInterval(-1)
        for environment in [AppStoreEnvironment.production, .sandbox] {
            do {
                guard
                    try await verifier.requestTestNotification(of: bundle, in: environment, deadline: .now + Self.patience)
                else { continue }
            } catch let failure {
                guard failure.kind == .configuration else { return finding(subject, failure) }
                return .warning(
                    subject, "the app has no address for them at Apple",
                    mend:
                        "name one in App Store Connect that calls counterfoil.receive_notification (sql/docs/apple.md, \"Notifications\")"
                )
            }
            return await arrival(of: bundle, in: environment, since: start, subject, connection)
        }
        return .warning(
            subject, "Apple refuses the app's key, so that no test was sent", mend: "see the App Store Server API above")
    }

    private func arrival(
        of bundle: BundleID, in environment: AppStoreEnvironment, since start: Date, _ subject: String,
        _ connection: PostgresConnection
    ) async -> DoctorFinding {
        let deadline = ContinuousClock.now + Self.patience
        var cameUnverified = false
        while ContinuousClock.now < deadline {
            let rows = try? await connection.execute(
                SQLFile.findTestNotification.statement,
                [.text(bundle.rawValue), .text(environment.rawValue), .timestamp(PostgresTimestamp(start))])
            if let isVerified = try? rows?.first?.bool(0) {
                if isVerified { return .ok(subject, "a test of Apple's arrived and was verified (\(environment.rawValue))") }
                cameUnverified = true
            }
            try? await Task.sleep(for: .milliseconds(300))
        }
        if cameUnverified {
            return .warning(
                subject, "a test of Apple's arrived, and no worker has verified it yet", mend: "see whether workers run")
        }
        return .wrong(
            subject, "a test of Apple's didn't arrive within \(Self.patience.components.seconds) s (\(environment.rawValue))",
            mend: "RUNBOOK.md, \"Notifications stopped\"")
    }

    /// Sends what is no receipt: Apple says so, or that the secret is wrong.
    private func verifyReceipt(of bundle: BundleID, _ verifier: AppStoreVerifier) async -> DoctorFinding {
        let subject = "verifyReceipt of \(bundle.rawValue)"
        do {
            _ = try await verifier.verify(
                .appReceipt("AAAA"), bundleID: bundle, at: .verifyReceipt(.production), deadline: .now + Self.patience)
        } catch let failure {
            guard case .uncertain = failure.kind else { return finding(subject, failure) }
        }
        return .ok(subject, "Apple answers")
    }

    private func finding(_ subject: String, _ failure: VerificationFailure) -> DoctorFinding {
        .wrong(subject, failure.message, mend: failure.mend)
    }
}

extension VerificationFailure {
    /// The operator's next step after a call to Apple failed.
    var mend: String {
        if kind == .configuration || kind == .credentialRefused { return "mend the app's credential, then open its gates" }
        if message.hasSuffix("TLS failed") {
            return "the host's certificate isn't trusted here: see \(Variable.tlsRoots) if the host isn't Apple's, else the package "
                + "ca-certificates"
        }
        return "see whether Apple's hosts can be reached from here by HTTPS"
    }
}
