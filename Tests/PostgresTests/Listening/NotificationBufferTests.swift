// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct NotificationBufferTests {
    private func notification(_ number: Int) -> PostgresNotification {
        PostgresNotification(channel: "channel", payload: String(number))
    }

    @Test func notificationsComeOutInOrder() {
        var buffer = NotificationBuffer()
        buffer.append(notification(1))
        buffer.append(notification(2))

        #expect(buffer.next() == .notification(notification(1)))
        #expect(buffer.next() == .notification(notification(2)))
        #expect(buffer.next() == nil)
    }

    @Test func overflowIsToldInPlaceOfWhatWasDropped() {
        var buffer = NotificationBuffer(capacity: 2)
        for number in 1...3 {
            buffer.append(notification(number))
        }

        #expect(buffer.next() == .overflow)
        #expect(buffer.next() == .notification(notification(3)))
        #expect(buffer.next() == nil)
    }

    @Test func elementThatIsPutBackComesFirstAgain() {
        var buffer = NotificationBuffer(capacity: 2)
        for number in 1...4 {
            buffer.append(notification(number))
        }
        buffer.putBack(buffer.next() ?? .overflow)

        #expect(buffer.next() == .overflow)
        buffer.putBack(buffer.next() ?? .overflow)
        #expect(buffer.next() == .notification(notification(3)))
        #expect(buffer.next() == .notification(notification(4)))
    }
}
