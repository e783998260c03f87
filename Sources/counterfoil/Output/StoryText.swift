// SPDX-License-Identifier: Apache-2.0

import CommandSupport

/// An order's story for people: when what happened, by whom and why, and below it what is known of it.
struct StoryText {
    /// Rows of the view `order_story`, with the meaning of their reasons.
    let events: [OutputValue]
    var screen = Screen()

    var lines: [String] {
        events.flatMap { event in
            let who = event["who"].plainText
            let reason = event["reason"].plainText
            let heading =
                screen.text(event["at"]) + " " + screen.coloured(event["event"].plainText, column: "state")
                + (who.isEmpty ? "" : " by " + who) + (reason.isEmpty ? "" : ": " + reason)
            return [heading] + ["in_words", "detail"].flatMap { WrappedText(event[$0].plainText, indent: 4).lines }
        }
    }
}
