// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct ReasonTests {
    @Test func everyReasonIsExplainedInTheReadme() throws {
        let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)

        let missing = Reason.allCases.filter { !readme.contains("`\($0.rawValue)`") }

        #expect(missing == [])
    }
}
