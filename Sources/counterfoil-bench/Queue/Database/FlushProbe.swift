// SPDX-License-Identifier: Apache-2.0

import Glibc
import VerificationQueue

/// What a commit waits for: one page of 8 KiB written and flushed, as PostgreSQL does with its WAL.
enum FlushProbe {
    /// Milliseconds of each of a few flushes below `folder`; empty when none could be made.
    ///
    /// Few, since some virtual disks are slow for minutes after many flushes.
    static func milliseconds(in folder: String, count: Int = 40) -> Percentiles {
        var template = Array("\(folder)/counterfoil-flush-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return Percentiles([]) }
        defer { close(descriptor) }
        unlink(template)
        let page = [UInt8](repeating: 0x5A, count: 8192)
        // The first ones also give the file its blocks.
        for offset in 0..<4 {
            pwrite(descriptor, page, page.count, off_t(offset * page.count))
        }
        fdatasync(descriptor)
        return Percentiles(
            (0..<count).map { turn in
                let start = ContinuousClock.now
                pwrite(descriptor, page, page.count, off_t(turn % 4 * page.count))
                fdatasync(descriptor)
                return start.duration(to: .now).seconds * 1000
            })
    }
}
