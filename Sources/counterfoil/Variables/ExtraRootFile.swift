// SPDX-License-Identifier: Apache-2.0

import AppStore
import Verification

/// A root certificate to trust beside Apple's, and the apps that it is bound to, as a variable names them.
struct ExtraRootFile: Hashable, Sendable {
    let path: String
    let bundleIDs: Set<BundleID>

    /// Reads `file.der=bundle1,bundle2;other.der=bundle3`; nil for anything else.
    static func parse(_ text: String) -> [ExtraRootFile]? {
        var roots: [ExtraRootFile] = []
        for entry in text.split(separator: ";", omittingEmptySubsequences: true) {
            guard let equals = entry.lastIndex(of: "=") else { return nil }
            let path = entry[..<equals]
            let bundles = entry[entry.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
            guard !path.isEmpty, !bundles.isEmpty, bundles.allSatisfy({ !$0.isEmpty }) else { return nil }
            roots.append(
                ExtraRootFile(path: String(path), bundleIDs: Set(bundles.map { BundleID(rawValue: String($0)) })))
        }
        return roots.isEmpty ? nil : roots
    }
}
