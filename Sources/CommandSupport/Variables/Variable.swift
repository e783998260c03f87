// SPDX-License-Identifier: Apache-2.0

/// An environment variable of the programs: its name, its allowed values, its meaning, and how it becomes a setting.
package struct Variable: Sendable {
    /// A heading for the list of all variables.
    package enum Section: String, CaseIterable {
        case database = "Database"
        case worker = "Worker"
        case retention = "Retention"
        case retries = "Retries"
        case appStore = "App Store"
        case webhooks = "Webhooks"
        case program = "Program"
    }

    /// With the prefix.
    package let name: String
    package let section: Section
    /// The default as one would write it; nil when there is none.
    package let defaultText: String?
    /// The allowed values, to follow "must be".
    package let allowed: String
    /// A sentence or two.
    package let meaning: String
    package let isSecret: Bool
    /// Writes the value into the settings; returns false when it is not allowed.
    package let apply: @Sendable (_ value: String, _ settings: inout Settings) -> Bool

    package static let prefix = "COUNTERFOIL_"
    package static let databaseURL = prefix + "DATABASE_URL"
    package static let listenURL = prefix + "LISTEN_URL"
    package static let credentialsDirectory = prefix + "CREDENTIALS_DIRECTORY"
    package static let tlsRoots = prefix + "TLS_ROOTS"
    package static let extraRoots = prefix + "EXTRA_ROOTS"
    package static let webhookTLSRoots = prefix + "WEBHOOK_TLS_ROOTS"
    package static let webhookPrivateNetworks = prefix + "WEBHOOK_PRIVATE_NETWORKS"
    package static let metricsAddress = prefix + "METRICS_ADDRESS"
    static let leaseDuration = prefix + "LEASE_DURATION"
    static let attemptDeadline = prefix + "ATTEMPT_DEADLINE"

    init(
        _ name: String, _ section: Section, default defaultText: String?, allowed: String, meaning: String,
        isSecret: Bool = false, apply: @escaping @Sendable (String, inout Settings) -> Bool
    ) {
        self.name = name.hasPrefix(Self.prefix) ? name : Self.prefix + name
        self.section = section
        self.defaultText = defaultText
        self.allowed = allowed
        self.meaning = meaning
        self.isSecret = isSecret
        self.apply = apply
    }
}

extension Variable {
    typealias SettingsPath<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// A whole number within a range.
    static func count(
        _ name: String, _ section: Section, _ path: any SettingsPath<Int>, _ range: ClosedRange<Int>, _ meaning: String
    ) -> Variable {
        Variable(
            name, section, default: String(Settings()[keyPath: path]),
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)", meaning: meaning
        ) { value, settings in
            guard let number = Int(value), range.contains(number) else { return false }
            settings[keyPath: path] = number
            return true
        }
    }

    /// A duration within a range.
    static func duration(
        _ name: String, _ section: Section, _ path: any SettingsPath<Duration>, _ range: ClosedRange<Duration>,
        _ meaning: String
    ) -> Variable {
        let bounds = "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        return Variable(
            name, section, default: DurationText.format(Settings()[keyPath: path]),
            allowed: "a duration from \(bounds), such as 500ms, 5s, 10min, 2h or 7d", meaning: meaning
        ) { value, settings in
            guard let duration = DurationText.parse(value), range.contains(duration) else { return false }
            settings[keyPath: path] = duration
            return true
        }
    }

    /// A size in bytes within a range.
    static func byteCount(
        _ name: String, _ section: Section, _ path: any SettingsPath<Int>, _ range: ClosedRange<Int>, _ meaning: String
    ) -> Variable {
        let bounds = "\(ByteCountText.format(range.lowerBound)) to \(ByteCountText.format(range.upperBound))"
        return Variable(
            name, section, default: ByteCountText.format(Settings()[keyPath: path]),
            allowed: "a number of bytes from \(bounds), such as 1048576, 512KiB or 64MiB", meaning: meaning
        ) { value, settings in
            guard let bytes = ByteCountText.parse(value), range.contains(bytes) else { return false }
            settings[keyPath: path] = bytes
            return true
        }
    }
}
