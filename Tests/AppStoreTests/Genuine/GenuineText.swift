// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A text that Apple signed, in a file of its owner's: `Tests/README.md` describes the folder.
struct GenuineText: Sendable {
    enum Form: String, CaseIterable, Sendable {
        /// A signed transaction, a renewal info or an app transaction.
        case jws
        /// The base64 of an app receipt.
        case receipt
        /// The `signedPayload` of a notification.
        case notification
    }

    /// The file's name.
    let name: String
    let form: Form
    let text: String
    /// What its owner knows of it; nil where there is no such file.
    let expected: [String: ExpectedFact]?

    /// All texts of a folder, by name.
    ///
    /// - Throws: when there is none, when a file can't be read, or when facts belong to no text.
    static func all(in folder: String) throws -> [GenuineText] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let texts = try names.compactMap { name -> GenuineText? in
            guard let (stem, form) = parts(of: name) else { return nil }
            let facts = FileManager.default.contents(atPath: "\(folder)/\(stem).json")
            do {
                return GenuineText(
                    name: name, form: form, text: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8),
                    expected: try facts.map { try JSONDecoder().decode([String: ExpectedFact].self, from: $0) })
            } catch {
                throw Unreadable(description: "\(name) or its facts can't be read: \(error)")
            }
        }
        guard !texts.isEmpty else { throw Unreadable(description: "the folder holds no .jws, .receipt or .notification") }
        let stems = texts.compactMap { parts(of: $0.name)?.stem }
        guard Set(stems).count == stems.count else { throw Unreadable(description: "two texts share one file of facts") }
        if let stray = names.first(where: { $0.hasSuffix(".json") && !stems.contains(String($0.dropLast(5))) }) {
            throw Unreadable(description: "\(stray) belongs to no text")
        }
        return texts
    }

    private static func parts(of name: String) -> (stem: String, form: Form)? {
        guard let dot = name.lastIndex(of: "."), let form = Form(rawValue: String(name[name.index(after: dot)...]))
        else { return nil }
        return (String(name[..<dot]), form)
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }
}
