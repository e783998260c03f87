// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether the process has room for the threads that it needs.
///
/// Dispatch waits for ever, and says nothing, where the system makes it no thread: under a limit on the memory of a process
/// (`ulimit -d`, `ulimit -v`, `LimitDATA=`), which counts each thread's stack as a whole, or on its threads.
enum ThreadRoom {
    /// As many threads as Dispatch uses at once on a machine of this size, and those of connections to Apple.
    private static var needed: Int { min(2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 4, 16) }

    /// - Throws: ``CommandFailure`` where there is no room.
    static func require() throws {
        let needed = needed
        let made = threadsMade(of: needed)
        guard made < needed else { return }
        throw CommandFailure(
            .configuration,
            "there is no room for threads: \(made) of \(needed) could be made. Raise the limit on the memory of this process or on its "
                + "threads (ulimit -d, -v and -u; LimitDATA=, TasksMax= of a unit)")
    }

    /// Makes threads that are there at once, and ends them.
    private static func threadsMade(of count: Int) -> Int {
        let gate = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        sem_init(gate, 0, 0)
        defer { sem_destroy(gate) }
        var threads: [pthread_t] = []
        for _ in 0..<count {
            var thread = pthread_t()
            let failure = pthread_create(
                &thread, nil,
                { gate in
                    while sem_wait(gate!.assumingMemoryBound(to: sem_t.self)) != 0 {}
                    return nil
                }, gate)
            guard failure == 0 else { break }
            threads.append(thread)
        }
        for _ in threads { sem_post(gate) }
        for thread in threads { pthread_join(thread, nil) }
        return threads.count
    }
}
