// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Schema
import Testing

@testable import counterfoil_bench

@Suite struct ConversationTests {
    @Test func bytesPassUnchangedInWhateverPiecesTheyCome() {
        let request = Wire.start + Wire.query(SQLFile.claimJobs.text) + Wire.query("commit")
        for size in [1, 3, 1000] {
            var conversation = Conversation()
            var passed: [UInt8] = []
            for piece in request.pieces(of: size) {
                passed += conversation.clientSent(ByteBuffer(bytes: piece)).bytes
            }
            #expect(passed == request)
        }
    }

    @Test func aClaimWithJobsIsAPointAndOneWithoutIsNone() {
        var conversation = Conversation.started

        _ = conversation.clientSent(ByteBuffer(bytes: Wire.query(SQLFile.claimJobs.text)))
        let empty = conversation.serverSent(ByteBuffer(bytes: Wire.done))
        _ = conversation.clientSent(ByteBuffer(bytes: Wire.query(SQLFile.claimJobs.text)))
        let full = conversation.serverSent(ByteBuffer(bytes: Wire.row + Wire.done))

        #expect(empty.points == [])
        #expect(full == [.point(.claimed), .bytes(ByteBuffer(bytes: Wire.row + Wire.done))])
    }

    @Test func aReplyPassesAsAWhole() {
        var conversation = Conversation.started
        _ = conversation.clientSent(ByteBuffer(bytes: Wire.query(SQLFile.claimJobs.text)))

        let first = conversation.serverSent(ByteBuffer(bytes: Wire.row))
        let second = conversation.serverSent(ByteBuffer(bytes: Wire.done))

        #expect(first == [])
        #expect(second.bytes == Wire.row + Wire.done)
    }

    @Test func aSettlementPassesItsPointsInOrder() {
        var conversation = Conversation.started
        var points: [NamedPoint] = []

        for (statement, reply) in [
            ("begin", Wire.done), (SQLFile.lockSettlingJobs.text, Wire.row + Wire.done),
            (SQLFile.insertGrants.text, Wire.row + Wire.done), ("commit", Wire.done),
        ] {
            points += conversation.clientSent(ByteBuffer(bytes: Wire.query(statement))).points
            points += conversation.serverSent(ByteBuffer(bytes: reply)).points
        }

        #expect(points == [.settling, .fenced, .granted, .committing, .committed])
    }

    @Test func aPreparedStatementIsAPointWhenItIsCarriedOut() {
        var conversation = Conversation.started
        let fence = SQLFile.lockSettlingJobs

        let prepared = conversation.clientSent(ByteBuffer(bytes: Wire.preparation(fence.text, name: fence.name)))
        let ready = conversation.serverSent(ByteBuffer(bytes: Wire.done))
        let executed = conversation.clientSent(ByteBuffer(bytes: Wire.execution(of: fence.name)))
        let answered = conversation.serverSent(ByteBuffer(bytes: Wire.row + Wire.done))

        #expect(prepared.points + ready.points == [])
        #expect(executed.points == [.settling])
        #expect(answered.points == [.fenced])
    }

    /// The points lie between the statements, and it is the last one's rows that count.
    @Test func statementsThatGoOutTogetherKeepTheirPoints() {
        var conversation = Conversation.started
        let fence = SQLFile.lockSettlingJobs
        let begin = Wire.parsed("begin isolation level read committed")
        let fencing = Wire.bound(fence.name) + Wire.sync
        let commit = Wire.parsed("commit") + Wire.sync

        let opened = conversation.clientSent(ByteBuffer(bytes: begin + fencing))
        let fenced = conversation.serverSent(ByteBuffer(bytes: Wire.bindDone + Wire.bindDone + Wire.row + Wire.done))
        _ = conversation.clientSent(
            ByteBuffer(bytes: Wire.bound(SQLFile.lockPayments.name) + Wire.bound(SQLFile.insertGrants.name) + Wire.sync))
        let granted = conversation.serverSent(ByteBuffer(bytes: Wire.bindDone + Wire.row + Wire.bindDone + Wire.done))
        let ended = conversation.clientSent(ByteBuffer(bytes: Wire.bound(SQLFile.appendAttempts.name) + commit))
        let committed = conversation.serverSent(ByteBuffer(bytes: Wire.bindDone + Wire.bindDone + Wire.done))

        #expect(
            opened == [.bytes(ByteBuffer(bytes: begin)), .point(.settling), .bytes(ByteBuffer(bytes: fencing))])
        #expect(fenced.points == [.fenced])
        // Payments were locked, which returns a row, and nothing was granted.
        #expect(granted.points == [])
        #expect(
            ended == [
                .bytes(ByteBuffer(bytes: Wire.bound(SQLFile.appendAttempts.name))), .point(.committing),
                .bytes(ByteBuffer(bytes: commit)),
            ])
        #expect(committed.points == [.committed])
    }

    /// Grants, and the commit, go out as one request, and are answered as one.
    @Test func aSettlementInOneRequestPassesItsPoints() {
        var conversation = Conversation.started
        let begin = Wire.parsed("begin isolation level read committed") + Wire.bound(SQLFile.setLockTimeout.name)
        let grants = Wire.bound(SQLFile.grantFirstPayments.name)
        let commit = Wire.parsed("commit") + Wire.sync

        let sent = conversation.clientSent(ByteBuffer(bytes: begin + grants + commit))
        let answered = conversation.serverSent(
            ByteBuffer(bytes: Wire.bindDone + Wire.bindDone + Wire.bindDone + Wire.row + Wire.bindDone + Wire.done))
        let next = conversation.clientSent(ByteBuffer(bytes: begin + Wire.bound(SQLFile.claimJobs.name) + commit))

        #expect(
            sent == [
                .bytes(ByteBuffer(bytes: begin)), .point(.settling), .bytes(ByteBuffer(bytes: grants)), .point(.committing),
                .bytes(ByteBuffer(bytes: commit)),
            ])
        #expect(answered.points == [.committed])
        #expect(next.points == [])
    }

    @Test func aCommitOfSomethingElseIsNoPoint() {
        var conversation = Conversation.started
        var points: [NamedPoint] = []

        for statement in ["begin", SQLFile.lockSettlingJobs.text, "rollback", "begin", SQLFile.claimJobs.text, "commit"] {
            points += conversation.clientSent(ByteBuffer(bytes: Wire.query(statement))).points
            points += conversation.serverSent(ByteBuffer(bytes: Wire.done)).points
        }

        #expect(points == [.settling])
    }

    @Test func whatComesWithoutARequestPassesAtOnce() {
        var conversation = Conversation.started
        let notification = Wire.message("A", [0, 0, 0, 1, 0, 0])

        #expect(conversation.serverSent(ByteBuffer(bytes: notification)).bytes == notification)
    }

    @Test func theAnswerToAWishForEncryptionPassesAtOnce() {
        var conversation = Conversation()
        let wish: [UInt8] = [0, 0, 0, 8, 4, 210, 22, 47]

        #expect(conversation.clientSent(ByteBuffer(bytes: wish)).bytes == wish)
        #expect(conversation.serverSent(ByteBuffer(bytes: Array("N".utf8))).bytes == Array("N".utf8))
        #expect(conversation.clientSent(ByteBuffer(bytes: Wire.start)).bytes == Wire.start)
    }
}

extension Conversation {
    /// One whose start-up is over.
    fileprivate static var started: Conversation {
        var conversation = Conversation()
        _ = conversation.clientSent(ByteBuffer(bytes: Wire.start))
        _ = conversation.serverSent(ByteBuffer(bytes: Wire.done))
        return conversation
    }
}

extension [UInt8] {
    fileprivate func pieces(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
