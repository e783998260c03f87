// SPDX-License-Identifier: Apache-2.0

/// A price as Apple signed it: for people to look at. It is no amount for accounting, and decides nothing.
package struct SignedPrice: Hashable, Sendable {
    /// Thousandths of the currency's unit, for all units of the transaction. For seats: the average of one seat.
    package let milliunits: Int64

    /// Three capital letters, as in ISO 4217.
    package let currency: String

    /// Nil if either is absent, a price is negative, or a currency is of another form.
    package init?(milliunits: Int64?, currency: String?) {
        guard let milliunits, milliunits >= 0, let currency, currency.utf8.count == 3,
            currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.milliunits = milliunits
        self.currency = currency
    }
}
