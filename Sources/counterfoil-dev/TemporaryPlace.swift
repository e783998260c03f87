// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PrivatePostgres

/// Where temporary folders are made: in the folder that `TMPDIR` names, else in `/tmp`.
struct TemporaryPlace {
    let parent: String
    /// The same, unless no server can live there.
    let serverParent: String

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
        let named = variables["TMPDIR"] ?? ""
        var path = named.hasPrefix("/") ? named : "/tmp"
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        parent = path
        serverParent = PrivatePostgresServer.canLive(in: path) ? path : "/tmp"
    }

    /// Why the server is elsewhere; nil when it isn't.
    var note: String? {
        guard serverParent != parent else { return nil }
        return """
            The server's files are in \(serverParent): in \(parent), the path of its socket would be too long, or its user \
            may not write there.
            """
    }
}
