// SPDX-License-Identifier: Apache-2.0

/// Decides what a reader that delivers does next. It knows no transport and no database: it is told how each step ended.
///
/// A page that fails is done again change by change. A change that fails so waits; later changes of its key wait behind it. After
/// each page one waiting change is tried that is due. Too many failures in a row pause the pages: then one waiting change is tried
/// now and then, and the first success goes on.
package struct DeliveryMachine: Sendable {
    package enum Step: Sendable, Equatable {
        /// Do nothing for so long.
        case rest(Duration)
        /// Look whether there is anything to do.
        case look
        /// Read a page and deliver all of it, in one database transaction.
        case page(atMost: Int32)
        /// Deliver one change of a page that failed, in a database transaction of its own.
        case part(FeedPart)
        /// Have a change wait that failed.
        case putOff(FeedPart, DeliveryFailure)
        /// Try one waiting change again.
        case waiting(onlyDue: Bool)
        /// Replace a cursor that the server doesn't know.
        case beginAnew(cursor: String)
    }

    /// How a step ended.
    package enum Outcome: Sendable, Equatable {
        /// Of a look.
        case looked(hasNews: Bool)
        /// Another deliverer holds the state.
        case standsBy
        /// The state says so.
        case paused
        /// A read brought nothing.
        case empty(hasDue: Bool)
        /// A page is committed.
        case delivered(changes: Int, isFull: Bool, took: Duration, hasDue: Bool)
        /// A page was read, and nothing of it is committed, or nobody knows.
        case pageFailed(FeedPage)
        case cursorUnknown(String)
        case beganAnew
        /// A part is committed: delivered, or waiting behind another change.
        case partDone
        case partFailed(DeliveryFailure)
        /// A change that failed waits now.
        case putOffDone
        /// The cursor isn't where the part begins: a commit came through, or another deliverer went on.
        case moved(cursor: String)
        /// Of a waiting change: nil where there was none to try.
        case tried(succeeded: Bool?, isPaused: Bool)
        /// The database is in the way, and not a delivery.
        case troubled
    }

    /// The times and numbers by which it decides.
    package struct Limits: Sendable, Equatable {
        /// Between two looks where nothing is new. Default 200 ms.
        package var poll: Duration = .milliseconds(200)
        /// What a page may take; the next one is made shorter or longer for it. Default 250 ms.
        package var page: Duration = .milliseconds(250)
        package var firstPage: Int32 = 100
        package var longestPage: Int32 = 1000
        /// Between two tries while pages are paused. Default 10 s.
        package var paused: Duration = .seconds(10)
        /// Failures in a row that pause the pages. Default 20.
        package var failures: Int32 = 20
        /// The longest rest while the database is in the way. Default 5 s.
        package var longestTrouble: Duration = .seconds(5)

        package init() {}
    }

    package let limits: Limits
    /// What to do now.
    package private(set) var step: Step
    /// Pages are paused, as far as is known.
    package private(set) var isPaused = false
    /// Another deliverer did the last work.
    package private(set) var standsBy = false

    private var pageSize: Int32
    /// What is left of a page that failed.
    private var parts: ArraySlice<FeedPart> = []
    /// Sessions that the first of the parts ended.
    private var losses = 0
    /// What to do after a rest.
    private var afterRest: Step = .look
    private var troubles = 0

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
        pageSize = limits.firstPage
        step = .page(atMost: limits.firstPage)
    }

    /// The oldest change in hand, where a failed page is done again.
    package var oldestInHand: FeedPart? { parts.first }

    /// A rest is over.
    package mutating func rested() {
        step = afterRest
    }

    package mutating func ended(_ outcome: Outcome) {
        if outcome != .troubled { troubles = 0 }
        standsBy = outcome == .standsBy
        switch outcome {
        case .looked(let hasNews):
            if hasNews { goOn() } else { rest(limits.poll, then: .look) }
        case .standsBy:
            parts = []
            rest(limits.poll, then: .page(atMost: pageSize))
        case .paused:
            pause()
        case .empty(let hasDue):
            isPaused = false
            if hasDue { step = .waiting(onlyDue: true) } else { rest(limits.poll, then: .look) }
        case .delivered(let changes, let isFull, let took, let hasDue):
            isPaused = false
            fitPage(to: took, for: changes, isFull: isFull)
            if hasDue {
                step = .waiting(onlyDue: true)
            } else if isFull {
                goOn()
            } else {
                rest(limits.poll, then: .look)
            }
        case .pageFailed(let page):
            pageSize = max(1, pageSize / 2)
            parts = page.parts[...]
            losses = 0
            goOn()
        case .cursorUnknown(let cursor):
            parts = []
            step = .beginAnew(cursor: cursor)
        case .beganAnew:
            goOn()
        case .partDone, .putOffDone:
            parts = parts.dropFirst()
            losses = 0
            goOn()
        case .partFailed(let failure):
            failPart(failure)
        case .moved(let cursor):
            parts = parts.drop { $0.cursor != cursor }
            losses = 0
            goOn()
        case .tried(let succeeded, let isPaused):
            tried(succeeded, isPaused: isPaused)
        case .troubled:
            trouble()
        }
    }

    private mutating func goOn() {
        step = parts.first.map(Step.part) ?? .page(atMost: pageSize)
    }

    private mutating func rest(_ duration: Duration, then next: Step) {
        step = .rest(duration)
        afterRest = next
    }

    private mutating func pause() {
        isPaused = true
        parts = []
        rest(limits.paused, then: .waiting(onlyDue: false))
    }

    private mutating func failPart(_ failure: DeliveryFailure) {
        guard let part = parts.first else { return goOn() }
        if failure.lostSession && losses == 0 {
            losses += 1
            step = .part(part)
        } else {
            step = .putOff(part, failure)
        }
    }

    private mutating func tried(_ succeeded: Bool?, isPaused: Bool) {
        // Without a change to try, only a page shows whether things are well.
        if isPaused && succeeded == false { return pause() }
        self.isPaused = false
        goOn()
    }

    /// The same step again, after a rest that grows.
    private mutating func trouble() {
        let next = step
        troubles += 1
        rest(min(limits.longestTrouble, .milliseconds(100) * (1 << min(troubles - 1, 10))), then: next)
    }

    private mutating func fitPage(to took: Duration, for changes: Int, isFull: Bool) {
        if took > limits.page {
            pageSize = max(1, min(pageSize, Int32(Double(changes) * (limits.page / took))))
        } else if isFull && took < limits.page / 2 {
            pageSize = min(limits.longestPage, pageSize * 2)
        }
    }
}
