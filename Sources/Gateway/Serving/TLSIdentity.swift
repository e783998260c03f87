// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOSSL
import Synchronization

/// The files of a listener's certificate, with those that lead to its root, and of its key; both in PEM.
package struct TLSFiles: Hashable, Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Why a pair of files isn't taken. It names files and causes, never what is in them.
package struct TLSFault: Error, Hashable, CustomStringConvertible {
    package enum Name: String, Sendable {
        case certificateUnreadable = "certificate_unreadable"
        case keyUnreadable = "key_unreadable"
        /// One of the two was replaced, and the other not yet.
        case keyOfAnotherCertificate = "key_of_another_certificate"
    }

    package let name: Name
    package let file: String

    package var description: String { "\(name.rawValue): \(file)" }
}

/// The certificate and key of a listener: those of the newest pair of files that was good. A connection keeps the pair that it
/// began with.
final class TLSIdentity: Sendable {
    private struct Shown {
        let context: NIOSSLContext
        let notAfter: Int
    }

    private let files: TLSFiles
    private let shown: Mutex<Shown>

    init(_ files: TLSFiles) throws(TLSFault) {
        self.files = files
        shown = Mutex(try Self.read(files))
    }

    var context: NIOSSLContext { shown.withLock { $0.context } }

    /// The end of the certificate, in seconds since 1970.
    var notAfter: Int { shown.withLock { $0.notAfter } }

    /// Reads the files again. If they aren't good, all stays as it was.
    func reload() throws(TLSFault) {
        let read = try Self.read(files)
        shown.withLock { $0 = read }
    }

    private static func read(_ files: TLSFiles) throws(TLSFault) -> Shown {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(Array(Data(contentsOf: URL(filePath: files.certificate))))
        } catch {
            throw TLSFault(name: .certificateUnreadable, file: files.certificate)
        }
        guard let leaf = chain.first else { throw TLSFault(name: .certificateUnreadable, file: files.certificate) }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: Array(Data(contentsOf: URL(filePath: files.key))), format: .pem)
        } catch {
            throw TLSFault(name: .keyUnreadable, file: files.key)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return Shown(context: try NIOSSLContext(configuration: configuration), notAfter: Int(leaf.notValidAfter))
        } catch {
            throw TLSFault(name: .keyOfAnotherCertificate, file: files.key)
        }
    }
}
