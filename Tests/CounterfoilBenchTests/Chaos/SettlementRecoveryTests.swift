// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import counterfoil_bench

@Suite struct SettlementRecoveryTests {
    private static func recovery(
        _ recovery: InjectedFault.Recovery = .settlementOf(worker: 1), time: Double? = nil, laterClaims: Int64 = 0,
        jobsLeft: Int64 = 0
    ) -> SettlementRecovery {
        let fault = InjectedFault(
            kind: .cutOff(worker: 1, for: .seconds(6)), begunAt: Date(timeIntervalSince1970: 1_000),
            healedAt: Date(timeIntervalSince1970: 1_006), recovery: recovery)
        return SettlementRecovery(number: 4, fault: fault, time: time, laterClaims: laterClaims, jobsLeft: jobsLeft)
    }

    @Test func aWorkerThatSettlesNothingWhileThereIsWorkHasNotRecovered() {
        #expect(
            Self.recovery(laterClaims: 30).gap(workers: 3)
                == "worker-2 never settled anything after fault 4 (cut off): 30 jobs were claimed later, and 0 were left")
    }

    @Test func aWorkerThatSettledSomethingHasRecovered() {
        #expect(Self.recovery(time: 7.5, laterClaims: 300, jobsLeft: 1).gap(workers: 3) == nil)
    }

    @Test func afterTheLastFaultTooLittleIsLeftToDo() {
        #expect(Self.recovery(laterClaims: 29).gap(workers: 3) == nil)
    }

    @Test(arguments: [InjectedFault.Recovery.settlement, .verdictOfApple, .settlementOf(worker: 0)])
    func aJobThatIsLeftShowsThatNobodyRecovered(_ recovery: InjectedFault.Recovery) {
        #expect(Self.recovery(recovery, jobsLeft: 1).gap(workers: 3) != nil)
    }

    @Test(arguments: [("commit-lost", 2), ("worker-cut-off", 3), ("late-settlement", 10)])
    func aScenarioSaysHowLongRecoveryMayTake(name: String, seconds: Int) throws {
        let scenario = try #require(Scenarios.named(name))

        #expect(scenario.recoveryLimit == .seconds(seconds))
    }
}
