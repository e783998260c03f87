// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

/// A temporary folder for what workers read and write: credentials, certificates, logs. Only we can enter it.
package struct RehearsalFolder: Sendable {
    package let path: String

    package var credentials: String { path + "/credentials" }
    /// The authority of the simulator's TLS certificate, in PEM.
    package var tlsRoot: String { path + "/tls-root.pem" }
    /// The root of the simulator's signed transactions, in DER.
    package var transactionRoot: String { path + "/transaction-root.der" }

    /// The variables of the programs, for a shell to read.
    package var environment: String { path + "/environment" }

    /// The beginning of such folders' names.
    package static let prefix = "counterfoil-dev-"

    /// - Parameter parent: where to make it.
    package static func make(in parent: String = "/tmp") throws -> RehearsalFolder {
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw RehearsalError("could not make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        let folder = RehearsalFolder(path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        try FileManager.default.createDirectory(atPath: folder.credentials, withIntermediateDirectories: false)
        return folder
    }

    /// - Parameter name: what the process is called.
    package func log(of name: String) -> String { path + "/\(name).log" }

    /// Replaces an app's shared secret in one step: whoever reads it finds the old one or the new one.
    package func writeSharedSecret(_ secret: String, of app: ShopApp) throws {
        try write(Data((secret + "\n").utf8), to: credentials + "/\(app.bundleID).shared-secret")
    }

    /// Replaces, in one step, an app's key of the App Store Server API, or the one of all that have none of their own.
    package func writeServerAPIKey(_ credential: String, of app: ShopApp? = nil) throws {
        try write(Data(credential.utf8), to: credentials + "/\(app?.bundleID ?? "default").server-api-key")
    }

    /// A file that a launcher may wait for.
    package var flag: String { path + "/flag" }

    /// Writes a program that only starts another one, in its place. Its path.
    ///
    /// - Parameter waits: whether it first waits until there is a file ``flag``.
    package func writeLauncher(of program: String, waits: Bool = false) throws -> String {
        let path = self.path + "/launcher"
        let wait = waits ? "until [ -e '\(flag)' ]; do sleep 0.1; done\n" : ""
        try write(Data("#!/bin/sh\n\(wait)exec '\(program)' \"$@\"\n".utf8), to: path)
        guard chmod(path, 0o700) == 0 else {
            throw RehearsalError("could not make \(path) a program: \(String(cString: strerror(errno)))")
        }
        return path
    }

    package func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// How many lines of a process's log contain a text.
    package func lines(of name: String, containing text: String) -> Int {
        lines(of: name).count { $0.contains(text) }
    }

    /// The last lines of a process's log.
    package func tail(of name: String) -> String {
        lines(of: name).suffix(15).joined(separator: "\n")
    }

    private func lines(of name: String) -> [Substring] {
        let log = FileManager.default.contents(atPath: log(of: name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return log.split(separator: "\n")
    }
}
