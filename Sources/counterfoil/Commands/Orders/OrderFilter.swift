// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Which orders a list shows: those that fit everything that is given.
struct OrderFilter {
    var account: String?
    var state: OrderState?
    var product: String?
    var bundle: String?
    var since: PostgresTimestamp?
    var until: PostgresTimestamp?

    /// The last order of the page before.
    var before: String?

    /// The parameters of `list_orders.sql`.
    func parameters(_ most: Int32) -> [PostgresParameter] {
        [
            .text(account), .text(state?.rawValue), .text(product), .text(bundle), .timestamp(since), .timestamp(until),
            .text(before),
            .int4(most),
        ]
    }
}
