// SPDX-License-Identifier: Apache-2.0

/// How long a waiting change waits for its next try.
///
/// | failed tries | delay |
/// |---|---|
/// | 1 | 1 s |
/// | 2 | 2 s |
/// | 3 | 4 s |
/// | 10 | 512 s |
/// | 11 and more | 600 s |
package enum RetryDelay {
    private static let longest: Duration = .seconds(600)

    package static func after(failures: Int32) -> Duration {
        min(longest, .seconds(1 << Int64(min(max(failures - 1, 0), 20))))
    }
}
