// SPDX-License-Identifier: Apache-2.0

import Postgres

/// What a reader delivers, how, and where it keeps its state.
package struct DeliveryPlan: Sendable {
    package let tables: StateTables
    package let function: QualifiedName
    /// Where to begin without a state.
    package var start: DeliveryStart?
    package var selection = ChangeSelection()
    /// How long each statement may take, the calls for a page included. Default 5 s, to the millisecond.
    ///
    /// Too low, and slow functions fail; too high, and a function that hangs holds the shop's rows for so long.
    package var callTimeout: Duration = .seconds(5)
    package var limits = DeliveryMachine.Limits()

    package init(function: QualifiedName, tables: StateTables) {
        self.function = function
        self.tables = tables
    }

    func makeStore(_ connection: PostgresConnection) -> DeliveryStore {
        let milliseconds = Int64(callTimeout / .milliseconds(1))
        return DeliveryStore(
            connection: connection, sql: DeliverySQL(tables: tables, function: function, timeout: max(1, milliseconds)),
            selection: selection, limits: limits)
    }
}
