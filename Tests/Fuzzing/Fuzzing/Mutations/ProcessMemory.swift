// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory that the process takes from the kernel.
enum ProcessMemory {
    /// How much the process grew at most while `work` ran, in bytes, over all threads. 0 where the kernel doesn't say.
    static func growth(during work: () -> Void) -> Int {
        forgetPeak()
        let before = peak
        work()
        return max(0, peak - before)
    }

    /// Makes the peak what is taken now. Where that isn't allowed, only a growth beyond the highest peak so far is seen.
    private static func forgetPeak() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// `VmHWM`, in bytes.
    private static var peak: Int {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        let text = String(unsafeUninitializedCapacity: 4096) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) else { return 0 }
        let digits = line.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return (Int(String(decoding: digits, as: UTF8.self)) ?? 0) * 1024
    }
}
