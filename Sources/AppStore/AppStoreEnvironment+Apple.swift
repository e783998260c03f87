// SPDX-License-Identifier: Apache-2.0

import Verification

extension AppStoreEnvironment {
    /// An environment by Apple's name for it; nil for any other name.
    init?(appleName: String?) {
        switch appleName {
        case "Production": self = .production
        case "Sandbox": self = .sandbox
        default: return nil
        }
    }
}

/// The maker of a signed proof, by the proof's own word. Only this type says what counts as Xcode's.
enum ProofOrigin: Hashable, Sendable {
    case store(AppStoreEnvironment)
    /// Xcode's local testing. Anybody can sign such proofs at home, and no store did.
    case xcode
    /// Absent, unreadable, or a name that Apple added: nothing follows from it about the customer.
    case unknown

    /// By the field `environment` of a signed transaction.
    init(environment: LenientField<String>) {
        switch environment.value {
        case "Xcode", "LocalTesting": self = .xcode
        case let name: self = AppStoreEnvironment(appleName: name).map(ProofOrigin.store) ?? .unknown
        }
    }

    /// By the type of a receipt.
    init(receiptType: LenientField<String>) {
        switch receiptType.value {
        case "Production", "ProductionVPP": self = .store(.production)
        case "ProductionSandbox", "ProductionVPPSandbox": self = .store(.sandbox)
        case "Xcode": self = .xcode
        default: self = .unknown
        }
    }
}
