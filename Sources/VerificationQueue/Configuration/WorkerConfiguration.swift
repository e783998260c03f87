// SPDX-License-Identifier: Apache-2.0

package import Verification

/// How a worker works. Every limit has a name, a default and a unit.
package struct WorkerConfiguration: Sendable {
    /// Timeout of one database answer during an attempt, which needs a few before its lease ends. Default 5 seconds.
    static let databaseTimeout = Duration.seconds(5)

    /// Jobs that run at once. Default 200. A higher number costs memory: about 0.1 MB a job while Apple is asked. With
    /// a lower number, jobs wait for each other's answers from Apple. No lane holds more than half of the slots.
    package var slots = 200

    /// The most jobs that one claim takes. Default 100. See ``settlementBatch``.
    package var claimBatch = 100

    /// The most attempts that one settlement ends. Default 100.
    ///
    /// With 500, claims as large and twice as many slots, a worker spends up to a fifth less CPU on a job. But until
    /// its commit a settlement holds the rows of all its orders and payments, and others wait for them.
    package var settlementBatch = 100

    /// How long finished attempts may wait for others to settle with them, under load. Default 20 ms.
    package var settlementDelay = Duration.milliseconds(20)

    /// Settlements at once, each on a connection of its own. Default 2.
    package var settlers = 2

    /// The most bytes of proofs that the worker holds at once. Default 64 MB. A single proof passes whatever its size.
    package var proofBytes = 64 * 1024 * 1024

    /// How long the right to settle lasts, from the claim on. Default 60 s. With a lower value a dead worker's jobs are
    /// rescued sooner. It must stay above ``attemptDeadline`` plus the time that a settlement takes.
    package var leaseDuration = Duration.seconds(60)

    /// How long an attempt lasts at most, whatever Apple does. Default 40 s.
    package var attemptDeadline = Duration.seconds(40)

    /// The longest pause between two claims of an idle worker; jittered down to half of it. Default 50 ms. It bounds
    /// the latency without signals of new jobs. A lower value costs the database more queries.
    package var pollInterval = Duration.milliseconds(50)

    /// How often the worker looks for expired leases. Default 1 s, jittered. So long may a job wait after its lease ran
    /// out.
    package var rescueInterval = Duration.seconds(1)

    /// How often the worker reads the gates and scans for lane heads. Default 500 ms. Within this time it sees a gate
    /// that another worker opened or closed, and finds a job that shows up a few seconds late (see ``ClaimPlanner``).
    package var gateInterval = Duration.milliseconds(500)

    /// How often the worker writes its heartbeat. Default 10 s.
    package var heartbeatInterval = Duration.seconds(10)

    /// How often the worker counts the queue for metrics, where anybody reads them. Default 15 s.
    package var measureInterval = Duration.seconds(15)

    /// How often the worker looks for rejections that have become more frequent, where anybody reads metrics. Default 1 minute:
    /// they are counted by the minute.
    package var rejectionInterval = Duration.seconds(60)

    /// How often the worker looks whether Apple is to be asked for notifications that didn't arrive. Default 20 s.
    package var catchUpInterval = Duration.seconds(20)

    /// How often the worker looks for answers to Apple's questions about refunds. Default 5 s: so long a new one waits, of the
    /// twelve hours that Apple gives.
    package var consumptionInterval = Duration.seconds(5)

    /// How often the worker makes partitions ahead and removes rows past their retention. Default 1 h.
    package var maintenanceInterval = Duration.seconds(3600)

    /// How often the worker counts the last minutes for the dashboards. Default 20 s: a minute shows half a minute
    /// after its end. One worker counts for all; a lower value only asks more often whether a minute is due.
    package var rollUpInterval = Duration.seconds(20)

    /// How long the history of attempts is kept, a month at a time. Default 400 days. Dropped attempts are missing in
    /// the history of their orders; grants and operators' decisions stay.
    package var attemptRetention = Duration.seconds(400 * 86_400)

    /// How long the changes of the feed are kept, a month at a time. Default 60 days, at least 30. A reader that was away for
    /// longer begins anew.
    package var changeRetention = Duration.seconds(60 * 86_400)

    /// How long counts by the minute are kept. Default 14 days. Dashboards look back 24 hours by the minute, and
    /// at suspicious accounts 7 days.
    package var minuteRetention = Duration.seconds(14 * 86_400)

    /// How long counts by the hour are kept. Default 800 days.
    package var hourRetention = Duration.seconds(800 * 86_400)

    /// How long the proofs of rejected, reviewed and refunded orders are kept. Default 90 days.
    package var proofRetention = Duration.seconds(90 * 86_400)

    /// How long a drain may take before running attempts are cancelled and released. Default 20 s.
    package var drainDuration = Duration.seconds(20)

    /// From this many rescues on, a job is attempted in a process of its own. Default 2.
    package var rescuesBeforeIsolation = 2

    /// Processes for single attempts at once. Default 2.
    package var isolatedAttempts = 2

    /// Crashes in a process of its own that end a job. Default 3.
    package var crashLimit = 3

    package var retry = RetryPolicy()
    package var breaker = BreakerConfiguration()

    package init() {}
}
