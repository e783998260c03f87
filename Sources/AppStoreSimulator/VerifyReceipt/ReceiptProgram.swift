// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What the simulator is to say of one receipt from now on, beyond what the receipt's bytes say.
///
/// Calls are counted per receipt from the moment its program is set, over both environments, and only those that are
/// answered from the receipt's content (status 0 or 21006).
///
/// As JSON every field may be left out; a moment is `{"call": 3}` or `{"date": "2026-01-31T09:00:00Z"}`:
/// ```json
/// {"isAuthentic": true, "refusesSecret": false, "emptyUntil": {"call": 3}, "arrivals": {"70001": {"call": 2}},
///  "refunds": {"70002": {"at": {"call": 5}, "reason": 1}}, "removals": {"70003": {"date": "2026-01-31T09:00:00Z"}}}
/// ```
package struct ReceiptProgram: Sendable, Equatable, Codable {
    /// A moment, told by the clock or by calls.
    package enum Moment: Sendable, Equatable {
        case date(Date)
        /// The n-th call, counted from 1; it sees the change already.
        case call(Int)

        func hasCome(call: Int, now: Date) -> Bool {
            switch self {
            case .date(let date): now >= date
            case .call(let number): call >= number
            }
        }
    }

    /// A refund that shows from a moment on.
    package struct Refund: Sendable, Equatable, Codable {
        package var at: Moment
        /// 1 a problem with the app, 0 any other reason.
        package var reason: Int

        package init(at moment: Moment, reason: Int = 0) {
            at = moment
            self.reason = reason
        }
    }

    /// False: 21003.
    package var isAuthentic = true
    /// Answered with this status in place of everything else; 21010 for an account that is gone.
    package var status: Int?
    /// 21004 for a call with any secret, the app's own too, as Apple has answered for single receipts.
    package var refusesSecret = false
    /// No purchase at all shows before this moment.
    package var emptyUntil: Moment?
    /// Transaction id → when the purchase begins to show.
    package var arrivals: [String: Moment] = [:]
    /// Transaction id → when it bears a cancellation date. Apple documents that of no refunded consumable; it shows
    /// here for whichever transaction it is asked.
    package var refunds: [String: Refund] = [:]
    /// Transaction id → when it is gone, as a consumable is from the next receipt after it was finished.
    package var removals: [String: Moment] = [:]

    package init() {}
}

extension ReceiptProgram {
    private enum CodingKeys: String, CodingKey {
        case isAuthentic, status, refusesSecret, emptyUntil, arrivals, refunds, removals
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isAuthentic = try container.decodeIfPresent(Bool.self, forKey: .isAuthentic) ?? true
        status = try container.decodeIfPresent(Int.self, forKey: .status)
        refusesSecret = try container.decodeIfPresent(Bool.self, forKey: .refusesSecret) ?? false
        emptyUntil = try container.decodeIfPresent(Moment.self, forKey: .emptyUntil)
        arrivals = try container.decodeIfPresent([String: Moment].self, forKey: .arrivals) ?? [:]
        refunds = try container.decodeIfPresent([String: Refund].self, forKey: .refunds) ?? [:]
        removals = try container.decodeIfPresent([String: Moment].self, forKey: .removals) ?? [:]
    }
}

extension ReceiptProgram.Moment: Codable {
    private enum CodingKeys: String, CodingKey {
        case date, call
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let call = try container.decodeIfPresent(Int.self, forKey: .call) {
            self = .call(call)
        } else {
            self = .date(try container.decode(Date.self, forKey: .date))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .date(let date): try container.encode(date, forKey: .date)
        case .call(let call): try container.encode(call, forKey: .call)
        }
    }
}
