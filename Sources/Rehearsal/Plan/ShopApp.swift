// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
package import Verification

/// The apps that are played with; the raw value is the bundle id.
package enum ShopApp: String, CaseIterable, Sendable {
    /// Takes sandbox purchases of everybody.
    case puzzle = "com.example.puzzle"
    /// Takes sandbox purchases of listed accounts; its ledger starts a day ago.
    case novel = "com.example.novel"
    /// Takes no sandbox purchases.
    case radio = "com.example.radio"
    /// Takes no sandbox purchases. Its shared secret is wrong in the first seconds.
    case atlas = "com.example.atlas"
    /// Verifies everything by its signature, has Apple confirm it, and has Apple told of each grant.
    case harbor = "com.example.harbor"
    /// As ``harbor``, and was never released: it is known to the sandbox only.
    case cellar = "com.example.cellar"
    /// Verifies receipts by their signature, and asks nobody.
    case lantern = "com.example.lantern"
    /// As ``harbor``, of an account of its own, whose API key is wrong in the first seconds.
    case quarry = "com.example.quarry"
    /// An app of another shop, of which ours knows nothing.
    case elsewhere = "org.example.elsewhere"

    /// The apps that our shop sells in.
    package static let ours = allCases.filter { $0 != .elsewhere }

    /// Those that customers have in production.
    package static let released = ours.filter(\.isReleased)

    package var bundleID: String { rawValue }

    package var sandboxPolicy: String {
        switch self {
        case .puzzle, .harbor, .cellar: "allow"
        case .novel: "listed"
        case .radio, .atlas, .lantern, .quarry, .elsewhere: "deny"
        }
    }

    package var receiptRoute: ReceiptRoute {
        switch self {
        case .puzzle, .novel, .radio, .atlas, .elsewhere: .verifyReceipt
        case .harbor, .cellar, .quarry: .localThenAPI
        case .lantern: .localOnly
        }
    }

    /// Whether Apple confirms each signed transaction before it is granted.
    package var confirmsTransactions: Bool {
        switch self {
        case .harbor, .cellar, .quarry: true
        case .puzzle, .novel, .radio, .atlas, .lantern, .elsewhere: false
        }
    }

    /// Whether Apple is told of each grant.
    package var finishesTransactions: Bool { confirmsTransactions }

    /// Age of the ledger's start in days; nil: the app verifies whatever its customers ever bought.
    package var ledgerAge: Int? {
        self == .novel ? 1 : nil
    }

    /// Whether the App Store asks for the shared secret also where a receipt holds no subscription.
    package var insistsOnSharedSecret: Bool {
        self == .atlas
    }

    /// Whose app it is at the App Store; each account has an API key.
    package var account: String {
        switch self {
        case .quarry: "quarry"
        case .elsewhere: "elsewhere"
        case .puzzle, .novel, .radio, .atlas, .harbor, .cellar, .lantern: AppStoreSimulator.mainAccount
        }
    }

    /// Whether a credential of its is wrong until an operator mends it.
    package var isMisconfiguredAtFirst: Bool {
        insistsOnSharedSecret || account != AppStoreSimulator.mainAccount
    }

    /// Whether the app was ever released to the App Store.
    package var isReleased: Bool {
        self != .cellar
    }
}
