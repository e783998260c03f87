// SPDX-License-Identifier: Apache-2.0

/// One of Apple's two worlds; a transaction, a receipt and a host belong to exactly one.
///
/// The raw value is the name that Apple writes into payloads and answers. In the paths of the control interface the
/// lower-case name of the case stands.
package enum SimulatedEnvironment: String, CaseIterable, Codable, Sendable {
    case production = "Production"
    case sandbox = "Sandbox"

    /// The environment that a word names, in any case.
    package init?(named name: some StringProtocol) {
        guard let match = Self.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            return nil
        }
        self = match
    }

    /// The environment of a host name of Apple's; nil for any other name.
    ///
    /// The older names of the App Store Server API, which still answer, are known too.
    package init?(host: some StringProtocol) {
        let name = host.prefix { $0 != ":" }.lowercased()
        guard let match = Self.allCases.first(where: { $0.hostNames.contains(name) }) else { return nil }
        self = match
    }

    /// Apple's host names in this environment: verifyReceipt, the App Store Server API, its older name.
    package var hostNames: [String] {
        switch self {
        case .production:
            ["buy.itunes.apple.com", "api.storekit.apple.com", "api.storekit.itunes.apple.com"]
        case .sandbox:
            ["sandbox.itunes.apple.com", "api.storekit-sandbox.apple.com", "api.storekit-sandbox.itunes.apple.com"]
        }
    }
}
