// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The file of a root certificate to trust beside Apple's, and the apps that it is trusted for.
package struct ExtraRootFile: Hashable, Sendable {
    package let path: String
    package let bundleIDs: Set<BundleID>

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
