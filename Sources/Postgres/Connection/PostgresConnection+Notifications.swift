// SPDX-License-Identifier: Apache-2.0

import CPostgres
import EventSources

extension PostgresConnection {
    /// Why ``nextNotification(until:)`` returned.
    enum NotificationWait: Sendable {
        case element(NotificationBuffer.Element)
        case timedOut
        case cancelled
        case closed(PostgresError)
    }

    /// Waits for the next notification of the channels that this connection listens to. One caller at a time.
    func nextNotification(until deadline: ContinuousClock.Instant) async -> NotificationWait {
        if let element = notifications.next() {
            return .element(element)
        }
        if machine.isClosed {
            return .closed(closingError ?? PostgresError(.connectionLost, message: "the connection is closed"))
        }
        let race = ContinuationRace<NotificationWait>()
        let timer = DeadlineTimer(executor: executor)
        timer.setHandler {
            race.finish(with: .timedOut)
        }
        timer.schedule(at: deadline)
        notificationWaiter = race
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.install(continuation)
            }
        } onCancel: {
            race.finish(with: .cancelled)
        }
        timer.cancel()
        notificationWaiter = nil
        return result
    }

    /// Takes from libpq what has arrived.
    func readNotifications(_ handle: ConnectionHandle) {
        while let pointer = PQnotifies(handle.pointer) {
            notifications.append(
                PostgresNotification(
                    channel: String(cString: pointer.pointee.relname),
                    payload: String(cString: pointer.pointee.extra)
                )
            )
            PQfreemem(pointer)
        }
        wakeNotificationWaiter()
    }

    private func wakeNotificationWaiter() {
        guard let waiter = notificationWaiter, let element = notifications.next() else { return }
        notificationWaiter = nil
        if !waiter.finish(with: .element(element)) {
            // It has just stopped waiting; the next caller gets it.
            notifications.putBack(element)
        }
    }
}
