// SPDX-License-Identifier: Apache-2.0

/// Which calls to make with nothing around them.
struct BareCallsPlan: Codable, Sendable {
    /// Of the simulator, on this machine.
    let port: Int
    /// Holds `roots.pem`, which its TLS is verified by, and `default.server-api-key`.
    let folder: String
    let bundleID: String
    /// The transactions that are asked about have this id and those after it.
    let firstID: Int64
    let calls: Int
    let callsAtOnce: Int
}

/// What they took.
struct BareCallsReport: Codable, Sendable {
    let calls: Int
    let seconds: Double
    let cpuSeconds: Double

    var callsPerSecond: Double { Double(calls) / seconds }
    var microsecondsPerCall: Double { cpuSeconds * 1e6 / Double(calls) }
}
