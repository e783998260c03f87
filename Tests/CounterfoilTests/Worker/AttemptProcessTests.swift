// SPDX-License-Identifier: Apache-2.0

import Subprocess
import Testing
import VerificationQueue

@testable import counterfoil

@Suite struct AttemptProcessTests {
    @Test(arguments: [
        (TerminationStatus.exited(0), IsolatedAttempt.settled), (.exited(75), .handedBack), (.signaled(15), .handedBack),
        (.signaled(2), .handedBack), (.exited(1), .crashed("exit code 1")), (.signaled(11), .crashed("signal 11")),
        (.signaled(9), .crashed("signal 9")), (.exited(78), .crashed("exit code 78")),
    ])
    func onlyWhatAProofCanDoToAProcessIsACrash(status: TerminationStatus, outcome: IsolatedAttempt) {
        #expect(AttemptProcess.outcome(of: status) == outcome)
    }

    @Test(arguments: [
        (nil, "registers=none"), ("", "registers=none"), ("enable=no", "enable=no,registers=none"),
        ("registers=all,color=no", "registers=all,color=no,registers=none"),
    ])
    func aCrashReportPrintsNoMemory(inherited: String?, setting: String) {
        #expect(AttemptProcess.crashReports(inherited) == setting)
    }
}
