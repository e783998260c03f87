// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// All credentials of one kind, as they were found in the directory at one moment.
struct CredentialFiles<Value: Sendable>: Sendable {
    /// What was found in one file.
    enum Entry: Sendable {
        case usable(Value)
        case faulty(name: String, CredentialFault)
    }

    private let entries: [BundleID: Entry]
    private let standard: Entry?

    /// Reads every file of the kind that is there.
    ///
    /// - Parameter directory: nil when there is none; then nothing is found.
    init(_ kind: CredentialKind<Value>, in directory: String?) {
        var entries: [BundleID: Entry] = [:]
        var standard: Entry?
        let present = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        let names = Set(present.map(CredentialName.plain))
        for name in names where name.hasSuffix(kind.suffix) && name.count > kind.suffix.count {
            let entry = Self.entry(kind, directory, name)
            if kind.hasDefault, name == kind.fileName(of: "default") {
                standard = entry
            } else {
                entries[BundleID(rawValue: String(name.dropLast(kind.suffix.count)))] = entry
            }
        }
        self.entries = entries
        self.standard = standard
    }

    /// The app's own, else the one for all; an own one that is faulty hides the one for all.
    subscript(bundleID: BundleID) -> Entry? {
        entries[bundleID] ?? standard
    }

    /// Names of files that are there and can't be used.
    var faultyNames: [String] {
        (Array(entries.values) + (standard.map { [$0] } ?? []))
            .compactMap { entry in if case .faulty(let name, _) = entry { name } else { nil } }
    }

    private static func entry(_ kind: CredentialKind<Value>, _ directory: String?, _ name: String) -> Entry {
        guard let path = directory.flatMap({ CredentialName.path(of: name, in: $0) }),
            let contents = FileManager.default.contents(atPath: path)
        else { return .faulty(name: name, .missing) }
        guard contents.count <= kind.largestFile else { return .faulty(name: name, .tooLarge) }
        do {
            return .usable(try kind.read(Array(contents)))
        } catch {
            return .faulty(name: name, error)
        }
    }
}
