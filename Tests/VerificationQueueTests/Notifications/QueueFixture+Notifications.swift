// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// What a test's notification says. The scripted text stands for Apple's: its transaction is told by the test.
struct Told: Sendable {
    var type = "ONE_TIME_CHARGE"
    var transaction: Transaction?
    /// When Apple signed the transaction, in seconds since the purchase of the sample.
    var signedAt: Date
    var renewal: Renewal?
    var reason: String?
    /// What is wrong with its transaction.
    var unusable: String?

    init(unusable: String) {
        signedAt = Date()
        self.unusable = unusable
    }

    init(_ type: String = "ONE_TIME_CHARGE", _ transaction: Transaction?, signedAt: Date = Date()) {
        self.type = type
        self.transaction = transaction
        self.signedAt = signedAt
    }

    var effects: NotificationEffects {
        NotificationEffects(
            of: StoreNotification(
                type: type, bundleID: Sample.bundleID, environment: transaction?.environment ?? .production,
                contents: unusable.map { .unusable($0) }
                    ?? transaction.map { .transaction($0, signedAt: signedAt, text: "eyJ \($0.id.rawValue)") } ?? .nothing,
                renewal: renewal, consumptionRequestReason: reason))
    }
}

extension QueueFixture {
    /// A text in the form of Apple's, whose claims nobody has signed.
    static func notificationText(
        _ type: String = "ONE_TIME_CHARGE", uuid: UUID = UUID(), bundle: String = bundle, environment: String = "Production",
        signature: String = "c2ln", signedAt: Date = Date(timeIntervalSince1970: 1_700_000_000), objects: String? = nil
    ) -> String {
        let objects = objects ?? #""data":{"environment":"\#(environment)","bundleId":"\#(bundle)"}"#
        let json = #"""
            {"notificationType":"\#(type)","notificationUUID":"\#(uuid.uuidString.lowercased())","version":"2.0",\#
            "signedDate":\#(Int64(signedAt.timeIntervalSince1970 * 1000)),\#(objects)}
            """#
        let part = Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
        return "eyJ.\(part).\(signature)"
    }

    /// As a backend hands it over; the answer.
    @discardableResult
    func receive(_ text: String, source: String = "push") async throws -> String {
        try await admin.execute(
            "select counterfoil.store_notification($1::text, $2::text)", [.text(text), .text(source)])[0].string(0)
    }

    /// Receives, claims and settles a notification.
    func tell(_ told: Told, uuid: UUID = UUID()) async throws {
        try #require(
            try await receive(
                Self.notificationText(
                    told.type, uuid: uuid, environment: told.transaction?.environment == .sandbox ? "Sandbox" : "Production"))
                == "stored")
        let job = try #require(try await claim().first { $0.work.kind == .notification })
        try #require(try await settle(Settlement(job, recording: told.effects)) == [.settled(.unchanged)])
    }

    /// Attempts and settles what is due, as a worker does with the scripted verifier, until nothing is.
    func work(_ answer: @escaping @Sendable (String) -> Transaction) async throws {
        while true {
            let jobs = try await claim().filter { $0.work.kind == .verify }
            guard !jobs.isEmpty else { return }
            for job in jobs { try await attempt(job, answer) }
        }
    }

    /// Attempts and settles a job, as a worker does with the scripted verifier.
    func attempt(_ job: Job, _ answer: @escaping @Sendable (String) -> Transaction) async throws {
        let runner = try await runner(
            ScriptedVerifier { proof, _ throws(VerificationFailure) in
                .paid(answer(String(proof.split(separator: " ").last ?? "")))
            })
        _ = try await settle(await runner.attempt(job, deadline: .now + .seconds(20)).settlement)
    }

    /// Attempts by the gates as they are now.
    func runner(_ verifier: ScriptedVerifier) async throws -> AttemptRunner {
        let gates = GateCache()
        gates.replace(with: try await GateStore(pool: pool).list())
        return AttemptRunner(verifier: verifier, gates: gates, pool: pool, retry: RetryPolicy())
    }

    func text(_ sql: String) async throws -> String? {
        try await admin.execute("select (\(sql))::text").first?.optionalString(0)
    }
}
