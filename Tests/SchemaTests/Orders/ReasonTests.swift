// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification

@Suite struct ReasonTests {
    @Test func everyReasonIsExplainedInTheInterfaceForBackends() throws {
        let interface = try Repository.text("sql/README.md")

        let missing = Reason.allCases.filter { !interface.contains("`\($0.rawValue)`") }

        #expect(missing == [])
    }
}
