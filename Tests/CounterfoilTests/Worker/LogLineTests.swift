// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Observability
import Testing

@Suite struct LogLineTests {
    @Test func factsFollowTheMessageInOrder() {
        let line = LogLine(
            level: .info, message: "attempt settled", metadata: ["order.id": "o-1", "job.id": "7", "reason": ""])

        #expect(line.text == #"info attempt settled job.id=7 order.id=o-1 reason="""#)
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", "\"two words\""), ("a=b", "\"a=b\""), ("say \"hi\"", #""say \"hi\"""#),
        (#"a\b"#, #""a\\b""#), ("a\nb", #""a\nb""#), ("\u{1B}[31m", #""\u{1b}[31m""#), ("é", "é"),
        ("a\u{2028}b", #""a\u{2028}b""#), ("a\u{202E}b", #""a\u{202e}b""#),
    ])
    func valuesAreQuotedWhereTheyWouldBeAmbiguous(value: String, text: String) {
        #expect(LogLine(level: .info, message: "m", metadata: ["k": "\(value)"]).text == "info m k=\(text)")
    }

    @Test func anEntryNeverTakesMoreThanOneLine() {
        let line = LogLine(level: .error, message: "a\nb\r\n<3>c", metadata: ["k\n": "v\nw"])

        #expect(!line.text.contains { $0.isNewline })
    }

    @Test(arguments: [
        (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
    ])
    func theJournalIsToldThePriority(level: Logger.Level, priority: Int) {
        var line = LogLine(level: level, message: "m")
        line.prefix = .priority

        #expect(line.text == "<\(priority)>\(level) m")
    }

    @Test func elsewhereALineBeginsWithTheTimeInUTC() {
        var line = LogLine(level: .notice, message: "worker started")
        line.prefix = .time(Date(timeIntervalSince1970: 1_772_357_400.25))

        #expect(line.text == "2026-03-01T09:30:00.250Z notice worker started")
    }

    @Test func aHandlerMergesItsFactsWithTheEntrys() {
        let sink = KeptLines()
        var logger = Logger(label: "test") { _ in JournalLogHandler(sink: sink) }
        logger.logLevel = .debug
        logger[metadataKey: "worker.id"] = "1"
        logger[metadataKey: "job.id"] = "of the logger"

        logger.debug("claimed", metadata: ["job.id": "7"])
        logger.trace("not to be seen")

        #expect(sink.lines == ["<7>debug claimed job.id=7 worker.id=1\n"])
    }
}
