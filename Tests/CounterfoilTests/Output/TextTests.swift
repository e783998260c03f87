// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import CommandSupport
@testable import counterfoil

/// Durations, sizes and roots as operators write them.
@Suite struct TextTests {
    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("10min", .seconds(600)), ("2h", .seconds(7200)),
        ("7d", .seconds(604_800)), ("0s", .zero),
    ])
    func aDurationIsANumberAndAUnit(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.format(duration) == text)
    }

    @Test(arguments: [
        "", "5", "s", "5 s", "-5s", "1.5s", "5S", "5sec", "99999999999999999999s", "9223372036854775807d", "400000000d",
    ])
    func anythingElseIsNoDuration(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test func aDurationIsWrittenInTheLargestUnitThatDividesIt() {
        #expect(DurationText.format(.milliseconds(90_000)) == "90s")
        #expect(DurationText.format(.milliseconds(1500)) == "1500ms")
    }

    @Test(arguments: [("0", 0), ("1000", 1000), ("64KiB", 65_536), ("16MiB", 16_777_216), ("2GiB", 2_147_483_648)])
    func aSizeIsANumberOfBytesOrOfAUnit(text: String, bytes: Int) {
        #expect(ByteCountText.parse(text) == bytes)
        #expect(ByteCountText.format(bytes) == text)
    }

    @Test(arguments: ["", "KiB", "-1", "1KB", "1.5MiB", "9223372036854775807GiB"])
    func anythingElseIsNoSize(text: String) {
        #expect(ByteCountText.parse(text) == nil)
    }

    @Test func rootsAreBoundToApps() {
        let roots = ExtraRootFile.parse("/etc/a=1.der=com.example.a,com.example.b;/etc/b.der=com.example.c")

        #expect(
            roots == [
                ExtraRootFile(
                    path: "/etc/a=1.der",
                    bundleIDs: [BundleID(rawValue: "com.example.a"), BundleID(rawValue: "com.example.b")]),
                ExtraRootFile(path: "/etc/b.der", bundleIDs: [BundleID(rawValue: "com.example.c")]),
            ])
    }

    @Test(arguments: ["", ";", "root.der", "root.der=", "=com.example.a", "root.der=a,", "root.der=a;other.der"])
    func aRootWithoutAppsIsRefused(text: String) {
        #expect(ExtraRootFile.parse(text) == nil)
    }
}
