// SPDX-License-Identifier: Apache-2.0

package import Verification

/// How a worker works. Every limit has a name, a default and a unit.
package struct WorkerConfiguration: Sendable {
    /// Jobs that are executed at once. Default 200. Higher costs memory (about 0.1 MB a job while Apple is asked); lower
    /// leaves Apple's answers waited for one after another. No lane holds more than half of them.
    package var slots = 200

    /// The most jobs that one claim takes. Default 100. See ``settlementBatch``.
    package var claimBatch = 100

    /// The most attempts that one settlement ends. Default 100. With 500, claims as large and twice as many slots, a worker spends
    /// up to a fifth less CPU on a job. But until its commit a settlement holds a place for each payment in the server's table of
    /// locks, which all sessions share (`max_locks_per_transaction`: 6,400 places where all is PostgreSQL's default).
    package var settlementBatch = 100

    /// How long finished attempts may wait for others to settle with them, under load. Default 20 ms.
    package var settlementDelay = Duration.milliseconds(20)

    /// Settlements at once, each on a connection of its own. Default 2.
    package var settlers = 2

    /// The most bytes of proofs that are held at once. Default 64 MB. One proof passes whatever its size.
    package var proofBytes = 64 * 1024 * 1024

    /// The right to settle lasts that long from the claim. Default 60 s. Lower rescues a dead worker's jobs sooner; it must
    /// stay above ``attemptDeadline`` plus the time that a settlement takes.
    package var leaseDuration = Duration.seconds(60)

    /// An attempt ends that long after its claim, whatever Apple does. Default 40 s.
    package var attemptDeadline = Duration.seconds(40)

    /// How often an idle worker scans for jobs, at most; jittered down to half of it. Default 50 ms. It is what bounds the
    /// latency without notifications; lower costs the database a query each time.
    package var pollInterval = Duration.milliseconds(50)

    /// How often expired leases are looked for. Default 1 s, jittered. So long may a job wait when its lease has run out.
    package var rescueInterval = Duration.seconds(1)

    /// How often gates are read, so the time within which a closing or an opening by others is seen; and within which a job is
    /// found that shows up a few seconds late, see ``ClaimPlanner``. Default 500 ms.
    package var gateInterval = Duration.milliseconds(500)

    /// How often the worker writes its sign of life. Default 10 s.
    package var heartbeatInterval = Duration.seconds(10)

    /// How often the queue is counted for metrics, where anybody reads them. Default 15 s.
    package var measureInterval = Duration.seconds(15)

    /// How often partitions are made ahead, and what is past its retention is removed. Default 1 h.
    package var maintenanceInterval = Duration.seconds(3600)

    /// How often minutes that are over are counted for the dashboards. Default 20 s: a minute shows half a minute after its
    /// end. Any worker counts; lower only asks more often whether something is due.
    package var rollUpInterval = Duration.seconds(20)

    /// How long the history of attempts is kept, a month at a time. Default 400 days. What is dropped is missing in the
    /// stories of its orders; grants and what was done by hand stay.
    package var attemptRetention = Duration.seconds(400 * 86_400)

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
