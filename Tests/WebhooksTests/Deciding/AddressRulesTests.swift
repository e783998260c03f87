// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Webhooks

@Suite struct AddressRulesTests {
    static let refused = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1",
        "100::1",
        "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001::1", "2001:db8::1",
        "2002:7f00:1::", "3fff::1", "5f00::1", "", "localhost", "127.1", "0x7f000001", "2130706433", "017700000001", "1.2.3.4:80",
        "[::1]",
    ]

    @Test(arguments: Self.refused)
    func whatIsNotPublicIsRefused(_ address: String) {
        #expect(!AddressRules().permit(address))
    }

    static let permitted = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:200::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
    ]

    @Test(arguments: Self.permitted)
    func publicAddressesAreCalled(_ address: String) {
        #expect(AddressRules().permit(address))
    }

    @Test func networksThatWereNamedAreCalledAndNoOthers() throws {
        let rules = AddressRules(allowed: [try #require(NetworkRange("10.1.0.0/16")), try #require(NetworkRange("::1"))])

        #expect(rules.permit("10.1.2.3"))
        #expect(rules.permit("::ffff:10.1.2.3"))
        #expect(rules.permit("::1"))
        #expect(!rules.permit("10.2.0.1"))
        #expect(!rules.permit("127.0.0.1"))
        #expect(rules.permit("8.8.8.8"))
    }

    @Test func aPrefixCountsByTheBit() throws {
        let range = try #require(NetworkRange("192.168.129.0/17"))
        let all = try #require(NetworkRange("0.0.0.0/0"))

        #expect(range.contains(try #require(AddressBytes("192.168.128.1"))))
        #expect(!range.contains(try #require(AddressBytes("192.168.127.255"))))
        #expect(!range.contains(try #require(AddressBytes("::1"))))
        #expect(all.contains(try #require(AddressBytes("9.9.9.9"))))
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/08", "10.0.0/8", "::/129", "a/8", "10.0.0.0/8/8", "10.0.0.0/ 8",
    ])
    func whatIsNoNetworkIsNone(_ text: String) {
        #expect(NetworkRange(text) == nil)
    }
}
