// SPDX-License-Identifier: Apache-2.0

/// How far a deliverer has come.
struct DelivererProgress: Sendable {
    enum Phase: Sendable {
        case connecting, working, stopping
    }

    var phase = Phase.connecting
    var phaseBegan: ContinuousClock.Instant
    /// When the last step began.
    var lastRound: ContinuousClock.Instant
    /// When the database last answered a step.
    var lastAnswer: ContinuousClock.Instant?
    var isPaused = false
    var standsBy = false
    var waiting: Int64 = 0
    var oldestWaiting = 0.0
    /// When the oldest change in hand was written, in microseconds since 1970; nil without one.
    var oldestInHand: Int64?
    var lastError: String?
}

/// A deliverer at one moment. The same progress at the same moment has the same health.
package struct DelivererSnapshot: Sendable {
    /// The longest step of a deliverer that is alive: some statements, each with its time-out.
    private static let longestStep = Duration.seconds(60)
    /// Between two answers of the database to a deliverer that is ready; paused ones ask it every 10 s.
    private static let longestSilence = Duration.seconds(20)

    let progress: DelivererProgress
    let judgedAt: ContinuousClock.Instant

    /// It makes progress, or waits for a database that is away. One that isn't alive should be killed.
    package var isAlive: Bool { progress.lastRound.duration(to: judgedAt) <= Self.longestStep }

    /// It is at work or stands by, and the database answers it.
    package var isReady: Bool {
        guard progress.phase == .working, let answer = progress.lastAnswer else { return false }
        return answer.duration(to: judgedAt) <= Self.longestSilence
    }

    /// It starts or stops.
    package var isBetweenStates: Bool { progress.phase != .working }

    /// One line for an operator.
    package var summary: String {
        let since = "\(progress.phaseBegan.duration(to: judgedAt).components.seconds) s"
        switch progress.phase {
        case .connecting: return "waiting for the database for \(since)"
        case .stopping: return "stopping for \(since)"
        case .working:
            let doing = progress.isPaused ? "paused" : progress.standsBy ? "stands by" : "delivers"
            var text = "\(doing), \(progress.waiting) changes wait"
            if progress.waiting > 0 { text += ", the oldest for \(Int(progress.oldestWaiting)) s" }
            if let error = progress.lastError { text += "; last error: \(error)" }
            return text
        }
    }
}
