// SPDX-License-Identifier: Apache-2.0

import EventSources
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// One after the other: signals belong to the whole process.
@Suite(.serialized) struct SignalSourceTests {
    @Test(arguments: [(SignalSource.Signal.terminate, SIGTERM), (.hangup, SIGHUP)])
    func signalIsDeliveredAndDoesNotEndTheProcess(signal: SignalSource.Signal, number: Int32) async {
        let source = SignalSource(Set(SignalSource.Signal.allCases))
        await source.ready()

        kill(getpid(), number)

        var iterator = source.makeAsyncIterator()
        #expect(await iterator.next() == signal)
    }
}
