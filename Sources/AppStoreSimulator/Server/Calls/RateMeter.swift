// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Finds the most calls within any second and any ten seconds.
struct RateMeter: Sendable {
    /// The most calls in windows that slide with the calls.
    private(set) var rate = CallRate()

    /// Moments of the last ten seconds, from ``tenSecondsBegin`` on; what lies before is dropped now and then.
    private var moments: [Date] = []
    private var tenSecondsBegin = 0
    private var secondBegin = 0

    /// Counts a call; calls come in order of time, and one that seems to come earlier counts as coming now.
    mutating func count(at moment: Date) {
        let moment = max(moment, moments.last ?? moment)
        moments.append(moment)
        while moment.timeIntervalSince(moments[tenSecondsBegin]) >= 10 { tenSecondsBegin += 1 }
        while moment.timeIntervalSince(moments[secondBegin]) >= 1 { secondBegin += 1 }
        rate.perSecond = max(rate.perSecond, moments.count - secondBegin)
        rate.perTenSeconds = max(rate.perTenSeconds, moments.count - tenSecondsBegin)
        guard tenSecondsBegin > 1024, tenSecondsBegin > moments.count / 2 else { return }
        moments.removeFirst(tenSecondsBegin)
        secondBegin -= tenSecondsBegin
        tenSecondsBegin = 0
    }
}

/// How many calls came at once, at most.
package struct CallRate: Hashable, Sendable {
    /// Within any one second.
    package internal(set) var perSecond = 0
    /// Within any ten seconds.
    package internal(set) var perTenSeconds = 0
}
