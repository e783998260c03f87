// SPDX-License-Identifier: Apache-2.0

import EventSources
import Testing
import Verification

@testable import VerificationQueue

@Suite(.timeLimit(.minutes(1))) struct ClaimPacingTests {
    private let inFlight = InFlight()
    private let pacing: ClaimPacing

    init() {
        var configuration = WorkerConfiguration()
        configuration.slots = 240
        configuration.claimBatch = 100
        configuration.settlementBatch = 100
        pacing = ClaimPacing(
            configuration, inFlight: inFlight, executor: SerialQueueExecutor(label: "test.pacing"))
    }

    /// Starts so many jobs, and returns them.
    @discardableResult
    private func start(_ count: Int) -> [Job] {
        let jobs = (0..<count).map { Sample.job(Int64($0)) }
        _ = inFlight.start(jobs)
        return jobs
    }

    private func limited(blockedSlots: Int = 0) -> LimitedClaim {
        LimitedClaim(blockedSlots: blockedSlots, began: .now)
    }

    @Test func theFirstClaimWaitsForNothing() async {
        #expect(await pacing.nextClaim() == .polled)
    }

    @Test func ofWakeUpsThatCoincideTheFirstIsTheReason() async {
        _ = await pacing.nextClaim()
        pacing.wake(.signalled)
        pacing.wake(.polled)
        pacing.wake(.probe)

        #expect(await pacing.nextClaim() == .signalled)

        // The others are forgotten.
        pacing.wake(.timer)
        #expect(await pacing.nextClaim() == .timer)
    }

    @Test func aClaimThatHitALimitIsFollowedByAnotherAtOnceWhenThereIsRoom() async {
        _ = await pacing.nextClaim()
        start(180)
        pacing.note(.underWay)
        pacing.note(.hitLimit(limited()))

        #expect(await pacing.nextClaim() == .roomMade)
    }

    @Test func fewFreeSlotsAreFilledWhenThePauseEnds() async {
        _ = await pacing.nextClaim()
        start(181)
        let claim = limited()
        pacing.note(.underWay)
        pacing.note(.hitLimit(claim))

        #expect(await pacing.nextClaim() == .timer)
        #expect(claim.began + LimitedClaim.pause <= .now)
    }

    @Test(arguments: [false, true]) func roomThatIsMadeEndsTheWait(foundNoRoom: Bool) async {
        _ = await pacing.nextClaim()
        let jobs = start(240)
        pacing.note(foundNoRoom ? .foundNoRoom(limited()) : .hitLimit(limited()))
        // Too little room.
        for job in jobs[..<7] { inFlight.finish(job) }
        pacing.roomWasMade()

        async let reason = pacing.nextClaim()
        for job in jobs[7..<60] { inFlight.finish(job) }
        pacing.roomWasMade()

        #expect(await reason == .roomMade)
    }

    /// Slots are free, and no byte for a proof.
    @Test func aRoundThatFoundNoRoomWaitsForAWakeUp() async {
        _ = await pacing.nextClaim()
        pacing.note(.foundNoRoom(limited()))
        pacing.wake(.polled)

        #expect(await pacing.nextClaim() == .polled)
    }

    @Test func roomThatIsMadeDuringAClaimIsNoReason() async {
        _ = await pacing.nextClaim()
        pacing.note(.underWay)
        pacing.roomWasMade()
        pacing.note(.tookAll)
        pacing.roomWasMade()
        pacing.wake(.polled)

        #expect(await pacing.nextClaim() == .polled)
    }

    @Test func aFailedClaimIsRepeatedForItsReason() async {
        _ = await pacing.nextClaim()
        pacing.wake(.polled)

        #expect(pacing.noteFailure(of: .signalled) == 1)
        #expect(await pacing.nextClaim() == .signalled)
        #expect(pacing.noteFailure(of: .signalled) == 2)
        #expect(await pacing.nextClaim() == .signalled)

        pacing.note(.tookAll)
        #expect(await pacing.nextClaim() == .polled)
        #expect(pacing.noteFailure(of: .polled) == 1)
    }

    @Test func noClaimFollowsAStop() async {
        pacing.note(.hitLimit(limited()))

        pacing.stop()

        #expect(await pacing.nextClaim() == nil)
        #expect(await pacing.nextClaim() == nil)
    }

    @Test func aStopEndsTheWait() async {
        _ = await pacing.nextClaim()
        async let reason = pacing.nextClaim()

        pacing.stop()

        #expect(await reason == nil)
    }

    @Test func aCancellationEndsTheWait() async {
        _ = await pacing.nextClaim()
        let waiting = Task { await pacing.nextClaim() }

        waiting.cancel()

        #expect(await waiting.value == nil)
    }

    /// Two batches, or as many as there are slots.
    @Test func attemptsThatWaitForTheirSettlementHoldSlotsBeyondABacklog() {
        let jobs = start(240)
        for job in jobs { inFlight.finish(job) }
        #expect(pacing.freeSlots == 240)

        start(240)
        #expect(pacing.freeSlots == 0)

        for job in jobs { inFlight.settle(job) }
        #expect(pacing.freeSlots == 0)
    }
}
