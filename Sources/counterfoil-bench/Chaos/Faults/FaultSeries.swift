// SPDX-License-Identifier: Apache-2.0

import Rehearsal

/// Makes schedules of faults: the same seed gives the same schedule, on every machine.
struct FaultSeries {
    private(set) var events: [FaultEvent] = []
    var generator: PlanGenerator
    /// How long the load lasts. No fault begins in its first second or in its last tenth.
    let load: Duration
    let workers: Int

    init(seed: UInt64, load: Duration, workers: Int) {
        generator = PlanGenerator(seed: seed)
        self.load = load
        self.workers = workers
    }

    /// A fault about every `interval`, earlier or later by up to a fourth of it.
    mutating func every(_ interval: Duration, _ make: (_ number: Int, inout PlanGenerator) -> FaultKind) {
        var number = 0
        var time = Duration.seconds(1)
        while time < load * 0.9 {
            let jitter = Double.random(in: -0.25...0.25, using: &generator)
            events.append(FaultEvent(at: max(.seconds(1), time + interval * jitter), kind: make(number, &generator)))
            number += 1
            time += interval
        }
        events.sort { $0.at < $1.at }
    }

    /// A fault, unless said otherwise when the load has begun.
    mutating func once(_ kind: FaultKind, at time: Duration = .seconds(1)) {
        events.append(FaultEvent(at: time, kind: kind))
    }
}
