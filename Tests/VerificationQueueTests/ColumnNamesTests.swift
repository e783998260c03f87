// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// The enums that rows are read by are in the order of the statements' columns, and bear their names.
@Suite struct ColumnNamesTests {
    private static let statements: [(file: SQLFile, columns: [String])] = [
        (.claimJobs, Job.Column.columnNames + OrderFactsColumn.columnNames),
        (.readLeasedJob, Job.Column.columnNames + OrderFactsColumn.columnNames + JobStore.HolderColumn.columnNames),
        (.readPayments, LedgerFacts.Column.columnNames),
        (.listGates, GateStore.GateColumn.columnNames), (.noteRefusal, GateStore.StandingColumn.columnNames),
        (.noteUnfoundPayment, GateStore.KeyStandingColumn.columnNames),
        (.findLaneHeads, GateStore.HeadsColumn.columnNames),
        (.takeProbes, GateStore.ProbeColumn.columnNames),
        (.reserveCalls, BudgetStore.Column.columnNames),
        (.measureQueue, QueueReader.Column.columnNames),
        (.findRisingRejections, QueueReader.RejectionColumn.columnNames),
        (.lockSettlingJobs, FencedJobs.Column.columnNames),
        (.insertGrants, GrantedOrders.Column.columnNames),
        (.grantFirstPayments, SettlementStore.FirstGrantColumn.columnNames),
        (.lockOwnOrders, SettlementStore.OwnOrderColumn.columnNames),
        (.replayNotifications, NotificationStore.ReplayedColumn.columnNames),
        (.takeConsumptionAnswer, ConsumptionAnswers.Column.columnNames),
        (.takeCatchUp, NotificationCatchUp.TakenColumn.columnNames), (.takePage, NotificationCatchUp.PageColumn.columnNames),
        (.findSilentSubscriptions, NotificationCatchUp.SilentColumn.columnNames),
        (.retryJobs, OperatorStore.RetriedColumn.columnNames),
        (.discardJobs, OperatorStore.DiscardedColumn.columnNames),
        (.requeueProofs, OperatorStore.RequeuedColumn.columnNames),
        (.lockOrder, OrderFactsColumn.columnNames + SettlementStore.LockTimeColumn.columnNames),
        (.findGrant, SettlementStore.GrantColumn.columnNames),
        (.findUnclaimedTransaction, SettlementStore.UnclaimedColumn.columnNames),
        (.findPayments, SettlementStore.PaymentColumn.columnNames),
        (.findRevocationsInForce, SettlementStore.RevocationColumn.columnNames),
    ]

    @Test func eachColumnIsReadAtThePositionOfItsName() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                for (file, columns) in Self.statements {
                    let names = try await connection.columnNames(of: file.text)

                    #expect(names == columns, "\(file.name)")
                }
            }
        }
    }
}
