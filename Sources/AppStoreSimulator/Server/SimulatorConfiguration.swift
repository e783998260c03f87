// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import HummingbirdCore
package import NIOCore
import NIOPosix

/// How a simulator listens, and the bounds of what it takes.
package struct SimulatorConfiguration: Sendable {
    /// Port of the listener that stands for production; default 0, a free one.
    package var productionPort = 0
    /// Port of the listener that stands for sandbox; default 0, a free one.
    package var sandboxPort = 0
    /// Port of the listener whose certificate comes from an authority that nobody is told of; default 0, a free one.
    package var foreignCertificatePort = 0
    /// Whether HTTP/2 is offered beside HTTP/1.1; default false. A connection then carries 100 calls at a time, so a
    /// client that keeps to one connection has at most 100 in flight.
    package var offersHTTP2 = false
    /// Seed of faults and latencies; default 1. The same seed and order of calls give the same run.
    package var seed: UInt64 = 1
    /// Largest request body in bytes; default 8 MiB. A larger one is answered with HTTP 413.
    package var maximumRequestSize = 8 * 1024 * 1024
    /// Bounds for the reading of receipts; what exceeds them is answered with 21002.
    package var receiptLimits = ReceiptContents.Limits()
    /// Bytes of base64 whose receipts are remembered after reading; default 64 MiB. When it is too low, receipts that
    /// are sent again are read again.
    package var receiptMemory = 64 * 1024 * 1024
    /// How long an hour between two tries to send a notification lasts; default an hour.
    package var notificationHour = Duration.seconds(3600)
    /// Measures latencies and slow answers; default the continuous clock.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// Tells the time that answers bear and that windows and programs are compared with; default the system's.
    package var now: @Sendable () -> Date = { Date() }
    /// The threads that serve; default one for each core, shared with the process.
    package var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    package init() {}
}
