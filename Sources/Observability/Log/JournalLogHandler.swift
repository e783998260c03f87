// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Logging

/// Writes each entry as one line to standard error, in the form that the journal of systemd understands.
///
/// Under the journal, which keeps the time itself, a line begins with the priority: `<6>info attempt settled job.id=7`.
/// Elsewhere it begins with the time in UTC: `2026-03-01T09:30:00.250Z info attempt settled job.id=7`. An entry never
/// takes more than one line, whatever its values hold.
package struct JournalLogHandler: LogHandler {
    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let sink: any LogSink

    /// - Parameter sink: where lines go; it decides whether they bear a priority or a time.
    package init(sink: any LogSink) {
        self.sink = sink
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var facts = metadata
        if let provided = metadataProvider?.get() {
            facts.merge(provided) { $1 }
        }
        if let own = event.metadata {
            facts.merge(own) { $1 }
        }
        if let error = event.error {
            facts["error"] = "\(error)"
        }
        var line = LogLine(level: event.level, message: event.message.description, metadata: facts)
        if sink.keepsTime {
            line.prefix = .priority
        } else {
            line.prefix = .time(Date())
        }
        sink.write(line.text + "\n")
    }
}
