// SPDX-License-Identifier: Apache-2.0

import AppStore

extension ServerAPIAnswer {
    /// What was answered; nil for all else.
    var value: Value? {
        if case .answered(let value) = self { value } else { nil }
    }
}
