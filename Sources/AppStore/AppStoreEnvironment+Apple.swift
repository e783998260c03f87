// SPDX-License-Identifier: Apache-2.0

import Verification

extension AppStoreEnvironment {
    /// An environment by Apple's name for it.
    ///
    /// Only these two have a case. `Xcode` and `LocalTesting` are what anybody can sign at home.
    init?(appleName: String?) {
        switch appleName {
        case "Production": self = .production
        case "Sandbox": self = .sandbox
        default: return nil
        }
    }
}
