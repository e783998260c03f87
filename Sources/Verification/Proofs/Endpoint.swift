// SPDX-License-Identifier: Apache-2.0

/// Who is asked for a verdict: a route and, where Apple is asked, in which environment.
package struct Endpoint: Hashable, Sendable {
    package let route: Route

    /// Nil for the local route, which asks nobody.
    package let environment: AppStoreEnvironment?

    package static let local = Endpoint(route: .local, environment: nil)

    package static func verifyReceipt(_ environment: AppStoreEnvironment) -> Endpoint {
        Endpoint(route: .verifyReceipt, environment: environment)
    }

    package static func serverAPI(_ environment: AppStoreEnvironment) -> Endpoint {
        Endpoint(route: .serverAPI, environment: environment)
    }

    package init(route: Route, environment: AppStoreEnvironment?) {
        self.route = route
        self.environment = environment
    }
}

/// The way from a proof to a verdict.
package enum Route: String, Hashable, Sendable, CaseIterable {
    /// Verified here, by signature; nobody is asked.
    case local
    /// Apple's verifyReceipt endpoint.
    case verifyReceipt = "verify_receipt"
    /// Apple's App Store Server API.
    case serverAPI = "server_api"
    /// No way to a verdict: the follow-up that tells Apple's App Store Server API of a grant.
    case finishTransaction = "finish_transaction"
}
