// SPDX-License-Identifier: Apache-2.0

import Glibc

/// libfaketime, which gives a process a clock of its own.
enum FakeTime {
    /// The library for programs with threads, where Debian puts it on one architecture or another; nil: not installed.
    static let library: String? = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { access($0, R_OK) == 0 }

    /// Variables of a process whose clock is off, as libfaketime takes it: `+5h`. Its waits take as long as ever.
    ///
    /// - Throws: when the library isn't installed.
    static func variables(offset: String) throws -> [String: String] {
        guard let library else { throw BenchError("libfaketime isn't installed") }
        return ["LD_PRELOAD": library, "FAKETIME": offset, "DONT_FAKE_MONOTONIC": "1"]
    }
}
