// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A temporary folder for what workers read and write: credentials, certificates, logs. Only we can enter it.
struct DevFolder: Sendable {
    let path: String

    var credentials: String { path + "/credentials" }
    /// The authority of the simulator's TLS certificate, in PEM.
    var tlsRoot: String { path + "/tls-root.pem" }
    /// The root of the simulator's signed transactions, in DER.
    var transactionRoot: String { path + "/transaction-root.der" }

    static func make() throws -> DevFolder {
        var template = Array("/tmp/counterfoil-dev-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DevError("could not make a folder in /tmp: \(String(cString: strerror(errno)))")
        }
        let folder = DevFolder(path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        try FileManager.default.createDirectory(atPath: folder.credentials, withIntermediateDirectories: false)
        return folder
    }

    func log(ofWorker number: Int) -> String { path + "/worker-\(number).log" }

    /// Replaces an app's shared secret in one step: whoever reads it finds the old one or the new one.
    func writeSharedSecret(_ secret: String, of app: DevApp) throws {
        try write(Data((secret + "\n").utf8), to: credentials + "/\(app.bundleID).shared-secret")
    }

    /// Replaces, in one step, an app's key of the App Store Server API, or the one of all that have none of their own.
    func writeServerAPIKey(_ credential: String, of app: DevApp? = nil) throws {
        try write(Data(credential.utf8), to: credentials + "/\(app?.bundleID ?? "default").server-api-key")
    }

    func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// The last lines of a worker's log.
    func tail(ofWorker number: Int) -> String {
        let text = FileManager.default.contents(atPath: log(ofWorker: number)).map { String(decoding: $0, as: UTF8.self) }
        return (text ?? "").split(separator: "\n").suffix(15).joined(separator: "\n")
    }
}
