// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The root certificates that a chain may end in, known by their fingerprints.
///
/// A root is trusted because it is listed here, never because it came with the data that it vouches for. Chains are judged by
/// the roots of this list that bear the issuer's name: ``roots(named:)``. A root may come along in another form, or not at all.
package struct TrustAnchors: Sendable {
    /// What a trusted root may vouch for.
    package enum Anchor: Hashable, Sendable {
        /// One of Apple's roots: every app's transactions.
        case apple
        /// A root of the operator's: transactions of these apps.
        case further(Set<BundleID>)

        /// Whether the root may vouch for an app's transactions.
        package func covers(_ bundleID: BundleID?) -> Bool {
            switch self {
            case .apple: true
            case .further(let bundleIDs): bundleID.map(bundleIDs.contains) ?? false
            }
        }
    }

    /// Apple's published roots (apple.com/certificateauthority). Apple doesn't promise which of them signs what.
    package static let appleRoots: [Fingerprint] = [
        // Apple Root CA - G3: signed transactions.
        Fingerprint(hex: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"),
        // Apple Inc. Root Certificate: app receipts.
        Fingerprint(hex: "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"),
        // Apple Root CA - G2.
        Fingerprint(hex: "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"),
    ]

    private let anchors: [Fingerprint: Anchor]

    /// DER of all roots, by their subjects.
    private let roots: [CertificateName: [[UInt8]]]

    /// Apple's roots, and those that the operator added. A root named twice covers the apps of both.
    package init(further: [ExtraRoot] = []) {
        var anchors: [Fingerprint: Anchor] = [:]
        for root in further {
            if case .further(let others) = anchors[root.fingerprint] {
                anchors[root.fingerprint] = .further(others.union(root.bundleIDs))
            } else {
                anchors[root.fingerprint] = .further(root.bundleIDs)
            }
        }
        for root in Self.appleRoots {
            anchors[root] = .apple
        }
        self.anchors = anchors
        var roots: [CertificateName: [[UInt8]]] = [:]
        for der in AppleRoots.all + further.map(\.der) {
            guard let name = EmbeddedCertificate(der: der)?.subject, !(roots[name]?.contains(der) ?? false) else { continue }
            roots[name, default: []].append(der)
        }
        self.roots = roots
    }

    /// What the root with this DER may vouch for; nil when it isn't trusted.
    package func anchor(forRoot der: [UInt8]) -> Anchor? {
        anchors[Fingerprint(of: der)]
    }

    /// DER of the trusted roots that bear a name.
    func roots(named name: CertificateName) -> [[UInt8]] {
        roots[name] ?? []
    }
}
