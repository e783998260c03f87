// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// How credentials are called in the folder that holds them.
///
/// systemd can load all files of a folder as credentials, `LoadCredential=counterfoil:/etc/counterfoil/credentials`,
/// and puts the id and an underscore before their names (systemd.exec(5)). Both forms are read; bundle ids hold no
/// underscore.
package enum CredentialName {
    static let prefix = "counterfoil_"

    /// The name without what systemd put before it.
    static func plain(_ fileName: String) -> String {
        fileName.hasPrefix(prefix) ? String(fileName.dropFirst(prefix.count)) : fileName
    }

    /// The file of a credential: under its own name, else under systemd's; nil when there is neither.
    package static func path(of name: String, in directory: String) -> String? {
        [name, prefix + name].map { directory + "/" + $0 }.first { FileManager.default.fileExists(atPath: $0) }
    }
}
