// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension Date {
    /// Whole milliseconds since 1970, the only form of a moment that Apple takes; never before 1970 or after the year
    /// 9999.
    func appleMilliseconds(_ rule: FloatingPointRoundingRule) -> Int64 {
        Int64(min(max(0, (timeIntervalSince1970 * 1000).rounded(rule)), 253_402_300_799_999))
    }
}
