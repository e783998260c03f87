// SPDX-License-Identifier: Apache-2.0

import Rehearsal

/// What is left when all has come to rest, against what has to be. A value without I/O.
struct Verdict: Sendable {
    /// How a line about a job that never came to rest begins.
    private static let neverAtRest = "never came to rest: "

    /// Payments that were granted more than once, and orders that were paid more than once.
    let duplicates: [String]
    /// Payments that are neither granted nor kept as unclaimed though they have to be, and honest orders that aren't
    /// fulfilled, those in review among them.
    let lost: [String]
    /// The orders among ``lost``, by their ids.
    let lostOrders: [String]
    /// Everything else that isn't as planned or breaks a check, and jobs that never came to rest.
    let otherwise: [String]

    init(
        _ plan: PurchasePlan, _ observation: Observation, checks: [CheckResult], pendingJobs: [String],
        answers: AnswerVerdict = AnswerVerdict()
    ) {
        duplicates = Self.duplicates(observation)
        lost = Self.lost(plan, observation)
        lostOrders = plan.purchases.flatMap { Self.unfulfilledOrders($0, observation) }
        otherwise =
            Comparison(plan, observation, allowsWaiting: true).differences.map(\.line)
            + answers.wrong.map { "wrong answer: \($0.line)" }
            + checks.flatMap { check in check.rows.map { "\(check.name): \($0)" } }
            + pendingJobs.map { "\(Self.neverAtRest)\($0)" }
    }

    var isKept: Bool { duplicates.isEmpty && lost.isEmpty && otherwise.isEmpty }

    /// What is wrong in one way, a line each.
    func lines(of complaint: Complaint) -> [String] {
        switch complaint {
        case .grantedTwice: duplicates
        case .lost: lost
        case .neverAtRest: otherwise.filter { $0.hasPrefix(Self.neverAtRest) }
        case .check(let name): otherwise.filter { $0.hasPrefix(name + ": ") }
        }
    }

    private static func duplicates(_ observation: Observation) -> [String] {
        var payments: [String: Int] = [:]
        for grants in observation.grants.values {
            for grant in grants { payments[grant.orderID, default: 0] += 1 }
        }
        return observation.grants.filter { $0.value.count > 1 }
            .map { "transaction \($0.key.id) was granted \($0.value.count) times" }
            + payments.filter { $0.value > 1 }.map { "order \($0.key) was paid \($0.value) times" }
    }

    private static func lost(_ plan: PurchasePlan, _ observation: Observation) -> [String] {
        plan.purchases.flatMap { purchase in
            purchase.transactions.filter { transaction in
                let key = Observation.TransactionKey(transaction)
                let isKnown = observation.grants[key] != nil || observation.unclaimed[key] != nil
                switch transaction.fate {
                case .granted, .grantedThenRevoked, .unclaimed: return !isKnown
                case .sameGrant, .revoked, .absent: return false
                }
            }
            .map { "transaction \($0.id) of \(purchase.kind.title) is neither granted nor unclaimed" }
                + unfulfilled(purchase, observation)
        }
    }

    /// Orders that may be what is missing: of those that race, all that aren't fulfilled.
    private static func unfulfilledOrders(_ purchase: Purchase, _ observation: Observation) -> [String] {
        purchase.expectations.flatMap { expectation in
            let open = expectation.orders.map { purchase.orders[$0].id }
                .filter { observation.outcomes[$0]?.state != "fulfilled" }
            return expectation.outcomes.count { $0.state != "fulfilled" } < open.count ? open : []
        }
    }

    private static func unfulfilled(_ purchase: Purchase, _ observation: Observation) -> [String] {
        purchase.expectations.flatMap { expectation in
            let expected = expectation.outcomes.count { $0.state == "fulfilled" }
            let got = expectation.orders.map { observation.outcomes[purchase.orders[$0].id] }
            let missing = expected - got.count { $0?.state == "fulfilled" }
            return missing > 0
                ? ["\(missing) orders of \(purchase.kind.title) are not fulfilled: "
                    + got.map { $0?.details ?? "no such order" }.joined(separator: "; ")]
                : []
        }
    }
}

/// A way in which a promise is broken.
enum Complaint: Hashable, Sendable {
    /// A payment or an order was granted more than once.
    case grantedTwice
    /// A payment is neither granted nor unclaimed, or an honest order isn't fulfilled.
    case lost
    /// A job is pending when all others have come to rest.
    case neverAtRest
    /// The check of this name found rows.
    case check(String)
}
