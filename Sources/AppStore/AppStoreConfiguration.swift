// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// How proofs are read and Apple is asked.
///
/// TLS is always verified; nothing here turns it off. Another server is trusted by naming its CA.
package struct AppStoreConfiguration: Sendable {
    /// What a proof may be.
    package var limits = ProofLimits()

    /// Roots trusted beside Apple's for signed transactions, each bound to apps. Default none; warned of at start.
    package var extraRoots: [ExtraRoot] = []

    /// Validated certificate chains that are remembered. Default 32; Apple signs with a few at a time.
    ///
    /// With 0, each signed transaction costs about a millisecond instead of a tenth.
    package var chainCacheCapacity: Int = 32

    /// Apple's verifyReceipt host for production. Default `https://buy.itunes.apple.com`; only https is accepted.
    package var productionReceiptURL: String = "https://buy.itunes.apple.com"

    /// Apple's verifyReceipt host for sandbox. Default `https://sandbox.itunes.apple.com`; only https is accepted.
    package var sandboxReceiptURL: String = "https://sandbox.itunes.apple.com"

    /// The App Store Server API's host for production. Default `https://api.storekit.apple.com`; only https is accepted.
    package var productionAPIURL: String = "https://api.storekit.apple.com"

    /// The App Store Server API's host for sandbox. Default `https://api.storekit-sandbox.apple.com`; only https is
    /// accepted.
    package var sandboxAPIURL: String = "https://api.storekit-sandbox.apple.com"

    /// How long a bearer token for the App Store Server API is good. Default 20 minutes.
    ///
    /// Apple refuses tokens that are good for more than 60 minutes. Much below a minute, a difference between our clock
    /// and Apple's makes tokens expire before they arrive.
    package var tokenLifetime: Duration = .seconds(20 * 60)

    /// Age at which a bearer token is replaced. Default 15 minutes; it must lie below ``tokenLifetime``.
    ///
    /// What lies between the two is there for slow calls and for clocks that differ.
    package var tokenRenewal: Duration = .seconds(15 * 60)

    /// A PEM file of certificates trusted for TLS beside the system's. Default none.
    package var additionalTLSRoots: String?

    /// Addresses to use for host names instead of asking DNS. Default none.
    package var dnsOverride: [String: String] = [:]

    /// Connections to one host at a time. Default 16.
    ///
    /// Set it to the worker's number of slots: with fewer, calls wait for each other within their deadlines.
    package var connections: Int = 16

    /// Time to connect and shake hands, within the call's deadline. Default 5 seconds.
    ///
    /// Below a second, a far host seems down; it never extends a call beyond its deadline.
    package var connectTimeout: Duration = .seconds(5)

    /// Largest answer read, in bytes. Default 16 MiB.
    ///
    /// Years of renewals fill megabytes; each slot may hold one such answer at a time.
    package var maximumResponseBytes: Int = 16 * 1024 * 1024

    /// Where the credentials lie, one file each. Default none: no app has a shared secret or an API key.
    package var credentialsDirectory: String?

    /// Tells the time of day, which bearer tokens bear and Apple's times are compared with. Default: this machine's clock.
    package var now: @Sendable () -> Date = { Date() }

    package init() {}
}

/// A setting that the App Store module can't work with; stops the program at its start.
package struct AppStoreConfigurationError: Error, CustomStringConvertible, Sendable {
    /// Names the setting and what it may be; never holds a secret.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
