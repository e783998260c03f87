// SPDX-License-Identifier: Apache-2.0

import Configuration
import FoundationEssentials
import Verification
import VerificationQueue

extension Settings {
    /// Reads every variable, once.
    ///
    /// A variable that is set to nothing counts as not set.
    ///
    /// - Throws: ``CommandFailure`` of status `configuration` that names the variable and its allowed values, never its value.
    package static func read(from environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Settings {
        let secrets = Set(Variable.all.filter(\.isSecret).map(\.name))
        let reader = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment, secretsSpecifier: .specific(secrets)))
        var settings = Settings()
        settings.journalStream = readJournalStream(from: environment)
        settings.notifySocket = nonEmpty(reader.string(forKey: "notify.socket"))
        settings.watchdogInterval = watchdogInterval(reader)
        settings.sudoUser = reader.string(forKey: "sudo.user")
        settings.credentialsDirectory = nonEmpty(reader.string(forKey: "credentials.directory"))
        for variable in Variable.all {
            let value = reader.string(forKey: variable.configKey, isSecret: variable.isSecret)
            guard let value = nonEmpty(value) else { continue }
            guard variable.apply(value, &settings) else {
                throw CommandFailure(.configuration, "\(variable.name) must be \(variable.allowed)")
            }
        }
        try settings.checkTogether()
        settings.worker.rescueInterval = rescueInterval(leaseDuration: settings.worker.leaseDuration)
        settings.unknownVariables = unknownVariables(among: environment.keys)
        return settings
    }

    /// systemd's mark of the journal, by itself: the journal also gets the failure of reading the other variables.
    package static func readJournalStream(from environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        environment["JOURNAL_STREAM"]
    }

    /// Checks values that depend on each other.
    private func checkTogether() throws {
        // Time to settle what the attempt found.
        let margin = min(.seconds(5), worker.attemptDeadline)
        guard worker.leaseDuration >= worker.attemptDeadline + margin else {
            throw CommandFailure(
                .configuration,
                "\(Variable.leaseDuration) must be at least \(DurationText.format(worker.attemptDeadline + margin)), as "
                    + "\(Variable.attemptDeadline) is \(DurationText.format(worker.attemptDeadline)): 5s more, or twice as long")
        }
    }

    /// Expired leases are looked for every second, and more often where leases are short: a sixteenth of a lease is little to wait
    /// after its end.
    private static func rescueInterval(leaseDuration: Duration) -> Duration {
        min(WorkerConfiguration().rescueInterval, leaseDuration / 16)
    }

    private static func unknownVariables(among names: some Sequence<String>) -> [UnknownVariable] {
        let known = Variable.all.map(\.name)
        return names.filter { $0.hasPrefix(Variable.prefix) && !known.contains($0) && !isForTests($0) }
            .sorted()
            .map { UnknownVariable($0, among: known) }
    }

    /// sd_watchdog_enabled(3): the interval in microseconds, meant for the process that is named, if one is.
    private static func watchdogInterval(_ reader: ConfigReader) -> Duration? {
        guard let interval = reader.int(forKey: "watchdog.usec"), interval > 0 else { return nil }
        if let processID = reader.int(forKey: "watchdog.pid"), processID != ProcessInfo.processInfo.processIdentifier {
            return nil
        }
        return .microseconds(interval)
    }

    private static func nonEmpty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Variables of the tests and of private servers, which other parts read.
    private static func isForTests(_ name: String) -> Bool {
        name.hasPrefix("COUNTERFOIL_TEST_") || name == "COUNTERFOIL_POSTGRES_BIN"
    }
}

extension Variable {
    /// The key under which the provider of environment variables finds it.
    fileprivate var configKey: ConfigKey {
        ConfigKey(name.lowercased().split(separator: "_").map(String.init))
    }
}
