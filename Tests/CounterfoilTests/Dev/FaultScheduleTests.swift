// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@testable import counterfoil_dev

@Suite struct FaultScheduleTests {
    @Test func thePlansOfFaultsAreSuch() {
        #expect(FaultSchedule.verifyReceipt(from: .distantPast, span: 20).isConsistent)
        #expect(FaultSchedule.serverAPI(from: .distantPast, span: 20).isConsistent)
    }
}
