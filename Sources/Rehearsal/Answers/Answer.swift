// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a client was told, as long as it was told the same each time that it asked.
package struct Answer: Equatable, Sendable {
    /// What it asked about, by the numbers of its purchase.
    package enum Subject: Hashable, Sendable {
        /// `order_status_of`
        case order(Int)
        /// `upload_status`; the payment that the upload showed, if it showed any.
        case upload(order: Int, job: Int64, transaction: String?)
        /// `transaction_status_of`
        case transaction(Int)
        /// `subscription_status_of`
        case subscription(Int)
    }

    package var subject: Subject
    package var state: String
    package var reason: String?
    /// Empty where none is told.
    package var action: String
    /// The transaction that it names.
    package var transactionID: String?

    /// From the moment before the first question to the moment of its answer: it must have been true at some time between.
    package var first: ClosedRange<Date>
    /// The same of the last question in a row.
    package var last: ClosedRange<Date>

    package init(
        _ subject: Subject, state: String, reason: String? = nil, action: String, transactionID: String? = nil,
        during moment: ClosedRange<Date>
    ) {
        self.subject = subject
        self.state = state
        self.reason = reason
        self.action = action
        self.transactionID = transactionID
        first = moment
        last = moment
    }

    package func saysTheSame(as other: Answer) -> Bool {
        (subject, state, reason) == (other.subject, other.state, other.reason)
            && (action, transactionID) == (other.action, other.transactionID)
    }
}

/// Something that a player did, or that the App Store did at the player's wish.
package struct PlayedAct: Equatable, Sendable {
    package var step: PlayerStep
    /// From its beginning to its end: an upload is committed within.
    package var during: ClosedRange<Date>
}

/// All that a player was told, and did, in order.
package struct AnswerLog: Equatable, Sendable {
    package private(set) var answers: [Answer] = []
    package private(set) var acts: [PlayedAct] = []
    /// When the App Store had each transaction first, by its number.
    package private(set) var paid: [Int: Date] = [:]
    /// The place of the latest answer about each subject.
    private var latest: [Answer.Subject: Int] = [:]

    package init() {}

    /// - Returns: whether it differs from the answer before.
    @discardableResult
    package mutating func note(_ answer: Answer) -> Bool {
        if let place = latest[answer.subject], answers[place].saysTheSame(as: answer) {
            answers[place].last = answer.last
            return false
        }
        latest[answer.subject] = answers.count
        answers.append(answer)
        return true
    }

    package mutating func note(_ step: PlayerStep, since begun: Date) {
        acts.append(PlayedAct(step: step, during: begun...max(begun, Date())))
    }

    /// - Parameter transactions: all that the App Store has by now.
    package mutating func note(paid transactions: some Sequence<Int>, since begun: Date) {
        for transaction in transactions where paid[transaction] == nil { paid[transaction] = begun }
    }

    package mutating func note(_ act: PlayedAct) {
        acts.append(act)
    }
}
