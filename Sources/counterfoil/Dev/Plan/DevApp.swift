// SPDX-License-Identifier: Apache-2.0

/// The apps that are played with; the raw value is the bundle id.
enum DevApp: String, CaseIterable, Sendable {
    /// Takes sandbox purchases of everybody.
    case puzzle = "com.example.puzzle"
    /// Takes sandbox purchases of listed accounts; its ledger starts a day ago.
    case novel = "com.example.novel"
    /// Takes no sandbox purchases.
    case radio = "com.example.radio"
    /// Takes no sandbox purchases. Its shared secret is wrong in the first seconds.
    case atlas = "com.example.atlas"
    /// An app of another shop, of which ours knows nothing.
    case elsewhere = "org.example.elsewhere"

    /// The apps that our shop sells in.
    static let ours = allCases.filter { $0 != .elsewhere }

    var bundleID: String { rawValue }

    var sandboxPolicy: String {
        switch self {
        case .puzzle: "allow"
        case .novel: "listed"
        case .radio, .atlas, .elsewhere: "deny"
        }
    }

    /// Age of the ledger's start in days; nil: the app verifies whatever its customers ever bought.
    var ledgerAge: Int? {
        self == .novel ? 1 : nil
    }

    /// Whether the App Store asks for the shared secret also where a receipt holds no subscription.
    var insistsOnSharedSecret: Bool {
        self == .atlas
    }
}
