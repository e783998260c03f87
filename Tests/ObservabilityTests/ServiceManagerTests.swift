// SPDX-License-Identifier: Apache-2.0

import Observability
import TestSupport
import Testing

@Suite struct ServiceManagerTests {
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func noticesArriveAsLinesOfOneDatagram(isAbstract: Bool) async throws {
        let socket = try NoticeSocket(isAbstract: isAbstract)
        let manager = try #require(ServiceManager(socketPath: socket.path))

        manager.tell(.status("two\nlines"), .watchdog, .extendTimeout(.milliseconds(1500)))
        manager.tell(.ready)
        manager.tell(.stopping)

        try await socket.line(beginningWith: "STOPPING=1")
        #expect(
            socket.lines == ["STATUS=two lines", "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=1500000", "READY=1", "STOPPING=1"])
    }

    @Test(arguments: [nil, "", "/", "@", "relative/path", "vsock:2:1234", "/" + String(repeating: "x", count: 120)])
    func withoutASocketThereIsNobodyToTell(path: String?) {
        #expect(ServiceManager(socketPath: path) == nil)
    }

    @Test func aManagerThatIsGoneIsNoProblem() throws {
        let manager = try #require(ServiceManager(socketPath: "/nowhere/at/all"))

        manager.tell(.ready)
    }
}
