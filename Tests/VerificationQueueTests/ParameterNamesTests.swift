// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Testing
import Verification

@testable import VerificationQueue

/// What statements about rows are sent is what their own lists say: in the same order, with the same names and types.
@Suite struct ParameterNamesTests {
    /// Each statement with the list that it is sent.
    static let statements: [(file: SQLFile, sent: [String])] = [
        (.lockSettlingJobs, list { (columns: inout Columns<Settlement>) in SettlementStore.fence(&columns, locksOrders: false) }),
        (.lockOriginals, list(SettlementStore.originals)), (.requeueRenewals, list(SettlementStore.originals)),
        (.requeueDeniedNotifications, list(SettlementStore.originals)),
        (.lockPayments, list(SettlementStore.lockedPayments)),
        (.readPayments, list(LedgerReader.payments)),
        (.insertGrants, list { (columns: inout Columns<Grant>) in SettlementStore.grants(&columns, isOperatorDecision: false) }),
        (
            .grantFirstPayments,
            list { (columns: inout Columns<FirstGrant>) in
                SettlementStore.firstGrants(&columns, workerID: WorkerID(rawValue: 0))
            }
        ),
        (.tellKeptPayments, list(SettlementStore.unclaimedPayments)),
        (.tellBroughtPayments, list(SettlementStore.broughtPayments)),
        (.insertPayments, list(SettlementStore.keptPayments)),
        (.insertWords, list(SettlementStore.words)), (.settlePayments, list(SettlementStore.settledPayments)),
        (.settleOrders, list(SettlementStore.orders)),
        (.awaitRenewals, list(SettlementStore.awaited)),
        (.insertFinishJobs, list(SettlementStore.finishJobs)),
        (.endJobs, list(SettlementStore.endedJobs)),
        (.settleStayingJobs, list(SettlementStore.stayingJobs)),
        (
            .keepProofs,
            list { (columns: inout Columns<PendingSettlement>) in SettlementStore.proofs(&columns, limits: KeptProofLimits()) }
        ),
        (
            .appendAttempts,
            list { (columns: inout Columns<PendingSettlement>) in
                SettlementStore.attempts(&columns, workerID: WorkerID(rawValue: 0))
            }
        ),
        (.recordNotifications, list(SettlementStore.notifications)),
        (.recordPeriodEnds, list(SettlementStore.periodEnds)), (.recordAccesses, list(SettlementStore.accesses)),
        (.recordSubscriptions, list(SettlementStore.subscriptions)),
        (.recordConsumptionRequests, list(SettlementStore.consumptionRequests)),
        (.uploadFoundPayments, list(SettlementStore.foundPayments)),
        (.callTellSubscriptions, list(SettlementStore.toldPayments)),
    ]

    @Test func eachParameterIsSentAtThePositionOfItsName() throws {
        for (file, sent) in Self.statements {
            #expect(try Self.list(of: file) == sent, "\(file.name)")
        }
    }

    /// Statements with several arrays that no settlement sends.
    private static let sentByOthers: Set<String> = [
        "call_order_statuses", "claim_jobs", "find_definition_differences", "find_lane_heads", "find_orders_of_transactions",
        "hand_back_lost_claims", "insert_key", "insert_webhook_endpoint", "read_migrations", "record_definitions",
    ]

    @Test func eachStatementOfASettlementIsCompared() {
        let compared = Set(Self.statements.map(\.file.name))
        let several = SQLFile.queries.filter { file in
            Set(file.text.matches(of: /\$(\d+)::[a-z ]+\[\]/).map(\.1)).count > 1
        }
        #expect(Set(several.map(\.name)) == compared.union(Self.sentByOthers))
    }

    /// A comment beside an array is what people read: it begins with the name by which the statement uses the array.
    @Test func eachArrayIsCalledByTheNameOfItsColumn() throws {
        for (file, _) in Self.statements {
            let arrays = try Self.arrays(of: file)
            for array in arrays where array.comment != nil {
                #expect(array.comment == array.name, "\(file.name)")
            }
        }
    }

    /// What is sent: "order_id text[]" for an array, "boolean" for what is one for all rows.
    private static func list<Row>(_ fill: (inout Columns<Row>) -> Void) -> [String] {
        let columns = Columns([], fill)
        return columns.parameters.enumerated().map { index, parameter in
            index < columns.names.count ? "\(columns.names[index]) \(parameter.typeName)" : parameter.typeName
        }
    }

    /// The same, as the statement has it.
    private static func list(of file: SQLFile) throws -> [String] {
        let arrays = try arrays(of: file)
        #expect(arrays.map(\.number) == Array(1...arrays.count), "\(file.name)")
        var scalars: [Int: Set<String>] = [:]
        for match in file.text.matches(of: /\$(\d+)::([a-z]+(?: precision)?)\b(?! precision|\[)/) {
            scalars[try #require(Int(match.1)), default: []].insert(String(match.2))
        }
        let types = scalars.sorted { $0.key < $1.key }.map { $0.value.sorted().joined(separator: ", ") }
        return arrays.map { "\($0.name) \($0.type)[]" } + types
    }

    private struct ListedArray {
        let number: Int
        let type: String
        /// By which the statement uses it.
        let name: String
        /// The first word of the comment beside it.
        let comment: String?
    }

    /// The first list of arrays: "unnest($1::text[], -- order_id … ) as e (order_id, …)".
    private static func arrays(of file: SQLFile) throws -> [ListedArray] {
        let list = try #require(
            file.text.firstMatch(of: /unnest\(([^()]*)\)\s+(?:with ordinality )?as \w+ \(([^()]*)\)/), "\(file.name)")
        let names = list.2.split { $0 == "," || $0.isWhitespace }.map(String.init)
        let arrays = list.1.matches(of: /\$(\d+)::([a-z]+(?: precision)?)\[\],?(?: -- (\w+))?/)
        try #require(!arrays.isEmpty && arrays.count <= names.count, "\(file.name)")
        return try zip(arrays, names).map { array, name in
            ListedArray(
                number: try #require(Int(array.1)), type: String(array.2), name: name, comment: array.3.map(String.init))
        }
    }
}

extension PostgresParameter {
    /// As a statement casts it.
    fileprivate var typeName: String {
        switch self {
        case .bool: "boolean"
        case .int4: "integer"
        case .int8: "bigint"
        case .double: "double precision"
        case .timestamp: "timestamptz"
        case .boolArray: "boolean[]"
        case .int4Array: "integer[]"
        case .int8Array: "bigint[]"
        case .doubleArray: "double precision[]"
        case .textArray: "text[]"
        case .uuidArray: "uuid[]"
        case .timestampArray: "timestamptz[]"
        default: "\(self)"
        }
    }
}
