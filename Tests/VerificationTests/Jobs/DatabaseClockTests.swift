// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Verification

@Suite struct DatabaseClockTests {
    private let clock = DatabaseClock()
    private let machineTime = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func untilTheDatabaseSpokeThisMachinesTimeHolds() {
        #expect(clock.time(at: machineTime) == machineTime)
    }

    @Test(arguments: [-18_000.0, -2, 2, 18_000])
    func theDatabasesTimeHoldsWhereTheMachinesIsOff(by lead: TimeInterval) {
        clock.follow(machineTime + lead, at: machineTime)

        #expect(clock.time(at: machineTime + 60) == machineTime + 60 + lead)
    }

    @Test(arguments: [-1.0, -0.01, 0.5, 1])
    func aSmallDifferenceIsTheWayFromTheDatabase(_ lead: TimeInterval) {
        clock.follow(machineTime + lead, at: machineTime)

        #expect(clock.time(at: machineTime) == machineTime)
    }

    @Test func aMachineWhoseClockIsPutRightIsFollowedBack() {
        clock.follow(machineTime + 18_000, at: machineTime)
        clock.follow(machineTime + 18_000.01, at: machineTime + 18_000)

        #expect(clock.time(at: machineTime + 18_060) == machineTime + 18_060.01)
    }
}
