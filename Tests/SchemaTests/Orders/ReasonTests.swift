// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification

@Suite struct ReasonTests {
    @Test func everyReasonIsExplainedInTheReadme() throws {
        let readme = try Repository.text("README.md")

        let missing = Reason.allCases.filter { !readme.contains("`\($0.rawValue)`") }

        #expect(missing == [])
    }
}
