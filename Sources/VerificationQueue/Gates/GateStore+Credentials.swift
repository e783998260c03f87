// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
package import Verification

/// What Apple says of the secrets and keys that lanes use, shared by all workers.
extension GateStore {
    /// The columns of `note_refusal.sql`.
    enum StandingColumn: Int, RowColumn {
        case isAccepted, isAcceptedSince, refusedOrders, refusedFor, sinceFirstRefusal, isFormer
    }

    /// The columns of `note_unfound_payment.sql`.
    enum KeyStandingColumn: Int, RowColumn { case hasFound, unfoundAccounts }

    /// Notes that Apple doesn't know a transaction whose signature this worker verified, and returns what is known of the key.
    package func noteUnfound(_ id: TransactionID, by use: CredentialUse, for job: Job) async throws -> KeyStanding {
        let rows = try await pool.execute(
            SQLFile.noteUnfoundPayment.statement,
            [
                .int4(use.lane.rawValue), .bytes(use.credential.bytes), .text(job.work.ordered?.order.accountID.rawValue), .text(id.rawValue),
                .double(KeyStanding.secondsBetweenAnswers),
            ],
            timeout: WorkerConfiguration.databaseTimeout)
        guard let row = rows.first else { return KeyStanding(hasFound: true, unfoundAccounts: 0) }
        let columns = row.named(by: KeyStandingColumn.self)
        return KeyStanding(
            hasFound: try columns.bool(.hasFound), unfoundAccounts: Int(try columns.int32(.unfoundAccounts)))
    }

    /// Notes that Apple refused a credential for a job's proof, and returns what is known of it.
    package func noteRefusal(of use: CredentialUse, for job: Job) async throws -> CredentialStanding {
        let rows = try await pool.execute(
            SQLFile.noteRefusal.statement,
            [
                .int4(use.lane.rawValue), .bytes(use.credential.bytes), .text(job.orderID?.rawValue), .text(job.work.refusable),
                .bool(use.isNeeded),
            ],
            timeout: WorkerConfiguration.databaseTimeout)
        guard let row = rows.first else { return CredentialStanding(isAccepted: false) }
        let columns = row.named(by: StandingColumn.self)
        return CredentialStanding(
            isAccepted: try columns.bool(.isAccepted), isAcceptedSince: try columns.bool(.isAcceptedSince),
            refusedOrders: Int(try columns.int32(.refusedOrders)), refusedFor: try columns.double(.refusedFor),
            sinceFirstRefusal: try columns.double(.sinceFirstRefusal), isFormer: try columns.bool(.isFormer))
    }

    /// Notes that Apple accepted a credential for a job's proof.
    package func noteAcceptance(of use: CredentialUse, for job: Job) async throws {
        _ = try await pool.execute(
            SQLFile.noteAcceptance.statement,
            [
                .int4(use.lane.rawValue), .bytes(use.credential.bytes), .text(job.orderID?.rawValue), .text(job.work.refusable),
                .bool(use.isNeeded), .double(use.began.duration(to: .now).seconds), .bool(use.finds),
            ])
    }
}
