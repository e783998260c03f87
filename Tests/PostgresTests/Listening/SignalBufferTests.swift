// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct SignalBufferTests {
    private func signal(_ number: Int) -> PostgresSignal {
        PostgresSignal(channel: "channel", payload: String(number))
    }

    @Test func signalsComeOutInOrder() {
        var buffer = SignalBuffer()
        buffer.append(signal(1))
        buffer.append(signal(2))

        #expect(buffer.next() == .signal(signal(1)))
        #expect(buffer.next() == .signal(signal(2)))
        #expect(buffer.next() == nil)
    }

    @Test func overflowIsToldInPlaceOfWhatWasDropped() {
        var buffer = SignalBuffer(capacity: 2)
        for number in 1...3 {
            buffer.append(signal(number))
        }

        #expect(buffer.next() == .overflow)
        #expect(buffer.next() == .signal(signal(3)))
        #expect(buffer.next() == nil)
    }

    @Test func elementThatIsPutBackComesFirstAgain() {
        var buffer = SignalBuffer(capacity: 2)
        for number in 1...4 {
            buffer.append(signal(number))
        }
        buffer.putBack(buffer.next() ?? .overflow)

        #expect(buffer.next() == .overflow)
        buffer.putBack(buffer.next() ?? .overflow)
        #expect(buffer.next() == .signal(signal(3)))
        #expect(buffer.next() == .signal(signal(4)))
    }
}
