// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time that processors spent on the calling thread: other processes on the machine don't count.
enum ThreadTime {
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
