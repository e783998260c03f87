// SPDX-License-Identifier: Apache-2.0

import Observability
import Testing

@Suite struct MetricsAddressTests {
    @Test(arguments: ["127.0.0.1:9464", "127.0.0.12:0", "[::1]:9464", "0.0.0.0:65535"])
    func aNumericAddressAndPortAreTaken(text: String) {
        #expect(MetricsAddress(text)?.description == text)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.0.0.12:1", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("10.0.0.127:1", false),
        ("[::]:1", false), ("[fd00::1]:1", false),
    ])
    func onlyThisMachineReachesALoopbackAddress(text: String, isLoopback: Bool) {
        #expect(MetricsAddress(text)?.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "9464", "localhost:9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.256:9464",
        "127.0.0.blue:9464", "127.0.1:9464", "::1:9464", "[127.0.0.1]:9464", "[::1]", "[::1%eth0]:1", "127.0.0.1:-1",
    ])
    func everythingElseIsRefused(text: String) {
        #expect(MetricsAddress(text) == nil)
    }
}
