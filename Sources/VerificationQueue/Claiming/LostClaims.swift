// SPDX-License-Identifier: Apache-2.0

/// When to look for jobs that were leased to this worker by a claim whose answer it never got. A value without I/O.
///
/// The first look comes at once. Others follow until such leases have run out, since the server may still be at the claim: a commit
/// that waits for a synchronous standby shows its leases only at its end.
struct LostClaims {
    /// Between two looks. Default 1 second. An order waits this much longer for a server that carried out a lost claim late.
    static let interval = Duration.seconds(1)

    private var nextLook: ContinuousClock.Instant?
    private var lastLook: ContinuousClock.Instant?

    init() {}

    /// The answer to a claim was lost.
    mutating func claimWasLost(at now: ContinuousClock.Instant, lease: Duration) {
        nextLook = now
        lastLook = now + lease
    }

    func isLookDue(at now: ContinuousClock.Instant) -> Bool {
        nextLook.map { $0 <= now } ?? false
    }

    /// A look is over, with or without success. One that took long, since nothing answered, may have left a connection waiting: the
    /// pause after it is as long.
    mutating func looked(from began: ContinuousClock.Instant, to ended: ContinuousClock.Instant) {
        let next = ended + max(Self.interval, ended - began)
        nextLook = lastLook.flatMap { next <= $0 ? next : nil }
    }
}
