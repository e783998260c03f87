// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification

@Suite struct ReasonTests {
    @Test func everyReasonIsExplainedForBackends() throws {
        let interface = try Repository.text("sql/docs/states.md")

        let missing = Reason.allCases.filter { !interface.contains("`\($0.rawValue)`") }

        #expect(missing == [])
    }
}
