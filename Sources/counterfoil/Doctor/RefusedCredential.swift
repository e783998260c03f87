// SPDX-License-Identifier: Apache-2.0

import Postgres

/// A secret or key that Apple refused lately: for all proofs, for some only, or nobody knows yet.
struct RefusedCredential: Hashable, Sendable {
    let app: String
    let route: String
    let environment: String

    /// Whether the gate is closed for a fault of configuration.
    let isClosed: Bool

    /// Orders that it was refused for since Apple accepted it last.
    let undecided: Int

    /// Orders that it was refused for although Apple accepted it for others since.
    let alone: Int

    /// Whether Apple accepted it within the last minutes, or accepts it for another call now: then Apple's fault is likelier.
    var isAcceptedLately: Bool

    var finding: DoctorFinding {
        let subject = "secret or key of \(app)"
        let place = "(\(route), \(environment))"
        if isClosed && isAcceptedLately {
            return .wrong(
                subject,
                "Apple refuses it for proofs \(place), and accepts it for other calls, or did minutes ago: the fault is likelier Apple's. "
                    + "Its gate is closed, and the app's jobs wait",
                mend:
                    "leave it as it is: workers try again each minute, and the gate opens by itself. Renew it if this goes on for an hour, "
                    + "as the runbook says: \"Apple refuses a key or a shared secret\"")
        }
        if isClosed {
            return .wrong(
                subject, "Apple refuses it for all proofs \(place): its gate is closed, and the app's jobs wait",
                mend: "renew it, as the runbook says: \"Apple refuses a key or a shared secret\"")
        }
        if undecided == 0 {
            return .warning(
                subject, "Apple refuses it for the proofs of \(alone) orders only, and accepts it for others \(place)",
                mend: "leave it as it is; look at those orders, whose jobs wait as credential_refused")
        }
        return .warning(
            subject,
            "Apple refuses it for the proofs of \(undecided) orders \(place), and no other proof has shown since whether it is right",
            mend: "see whether it was renewed or revoked at Apple; the third such order closes the gate")
    }
}

extension RefusedCredential {
    enum Column: Int, RowColumn { case bundleID, route, environment, isClosed, undecided, alone, isAcceptedLately }

    /// From a row of `find_refused_credentials.sql`.
    init(_ row: PostgresRow) throws(PostgresError) {
        let row = row.named(by: Column.self)
        self.init(
            app: try row.string(.bundleID), route: try row.string(.route), environment: try row.string(.environment),
            isClosed: try row.bool(.isClosed), undecided: Int(try row.int32(.undecided)), alone: Int(try row.int32(.alone)),
            isAcceptedLately: try row.bool(.isAcceptedLately))
    }
}
