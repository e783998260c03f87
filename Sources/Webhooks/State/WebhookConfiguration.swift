// SPDX-License-Identifier: Apache-2.0

/// How a worker sends webhooks. Every limit has a name, a default and a unit.
package struct WebhookConfiguration: Sendable {
    /// Networks that may be called though they aren't public. Default none.
    package var privateNetworks: [NetworkRange] = []

    /// A PEM file of authorities trusted for TLS beside the system's. Default none.
    package var additionalTLSRoots: String?

    /// The longest pause between two looks for events; jittered down to half of it. Default 250 ms. It bounds the latency of
    /// events; a lower value costs the database more statements.
    package var pollInterval = Duration.milliseconds(250)

    /// How often the worker looks which endpoints there are. Default 5 s: so long a new one waits.
    package var namesInterval = Duration.seconds(5)

    /// How often the worker counts what waits, where anybody reads metrics. Default 15 s.
    package var measureInterval = Duration.seconds(15)

    /// Calls at once, of all endpoints. Default 500. With fewer, many slow endpoints hold up the others.
    package var inFlight = 500

    /// How long a call may connect and shake hands. Default 5 s.
    package var connectTimeout = Duration.seconds(5)

    /// How long a call may take in all. Default 15 s. It must stay below ``leaseDuration``.
    package var callTimeout = Duration.seconds(15)

    /// The right to settle a call. Default 60 s: so long the events of a dead worker wait.
    package var leaseDuration = Duration.seconds(60)

    /// How long an address is called that a name led to. Default 60 s. A look-up that leads elsewhere opens new connections.
    package var addressLifetime = Duration.seconds(60)

    /// The longest pause that an answer may ask for. Default 1 h.
    package var longestPause = Duration.seconds(3600)

    /// How long calls may go on once the worker is asked to stop. Default 3 s; then they are ended, and sent again by others.
    package var drainDuration = Duration.seconds(3)

    package init() {}
}
