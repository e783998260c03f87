// SPDX-License-Identifier: Apache-2.0

/// Clients of all of Apple's hosts that we call: two services, each in both environments.
struct AppStoreHosts: Sendable {
    /// verifyReceipt's.
    let receipts: HostPair

    /// The App Store Server API's.
    let serverAPI: HostPair

    /// The threads that all calls go through.
    let loops: CallEventLoops

    /// Clients that have to be shut down before they are let go.
    ///
    /// - Throws: when an address is anything but https and a host, or a setting of HTTP can't be worked with; then
    ///   there is nothing to shut down.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        let settings = try AppStoreHTTPSettings(configuration)
        let receiptBases = try HostPair.Bases(
            production: configuration.productionReceiptURL, sandbox: configuration.sandboxReceiptURL)
        let apiBases = try HostPair.Bases(
            production: configuration.productionAPIURL, sandbox: configuration.sandboxAPIURL)
        // Nothing after this throws.
        loops = CallEventLoops()
        receipts = HostPair(settings, bases: receiptBases, loops: loops)
        serverAPI = HostPair(settings, bases: apiBases, loops: loops)
    }

    /// Closes all connections and ends the threads; calls under way fail.
    func shutdown() async throws {
        try await receipts.shutdown()
        try await serverAPI.shutdown()
        try await loops.shutdown()
    }
}
