// SPDX-License-Identifier: Apache-2.0

import Glibc
import Postgres
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What a settlement keeps of the proofs that it refused; and when there is no room for them.
@Suite struct KeptProofsTests {
    @Test(.timeLimit(.minutes(2)))
    func manyUploadsFillNoDisk() async throws {
        try await QueueFixture.run { queue in
            for number in 0..<30 {
                try await queue.submit("a", String(repeating: "x", count: 300_000) + "\(number)")
                let job = try #require(try await queue.claim().first)
                _ = try await queue.settle(Settlement(job, .end(.rejected(.malformedProof, nil))))
            }

            #expect(try await queue.count("counterfoil.proofs") == 3)
            #expect(try await queue.count("counterfoil.attempts") == 30)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func theStoresLimitsAreThoseOfTheStatement() async throws {
        try await QueueFixture.run { queue in
            var limits = KeptProofLimits()
            (limits.latest, limits.accountDayBytes) = (2, 30_000)
            let store = SettlementStore(pool: queue.pool, workerID: queue.worker, keptProofs: limits)
            for (order, length) in [("a", 5000), ("a", 6000), ("a", 7000), ("b", 8000), ("b", 9500), ("b", 9000)] {
                try await queue.submit(order, String(repeating: "x", count: length))
                let job = try #require(try await queue.claim().first)
                _ = try await store.settle([Settlement(job, .end(.rejected(.malformedProof, nil)))])
            }

            // The latest two of a, 13 000 bytes; of b, 9500 would be too many after 8000.
            let kept = try await queue.admin.execute("select octet_length(proof) from counterfoil.proofs order by job_id")
            #expect(try kept.map { try $0.int32(0) } == [6000, 7000, 8000, 9000])
        }
    }

    /// A settlement whose proof can't be kept is not written: the job stays in the queue with its proof, and its order as it was.
    /// Others are granted meanwhile, once each. When there is room again, the order gets its verdict.
    @Test(.timeLimit(.minutes(2)))
    func aFullDiskHoldsUpOnlyWhatIsToBeKept() async throws {
        try await QueueFixture.run { queue in
            let disk = try await FullDisk.fill(queue)
            defer { disk.unmount() }
            let proof = String(repeating: "x", count: 1 << 20)
            let refused = try await queue.submit("refused", proof)
            for number in 1...5 { try await queue.submit("good-\(number)", "eyJ \(number)") }

            let full = try await Self.settle(in: queue)

            #expect(full == ["good-1", "good-2", "good-3", "good-4", "good-5", "refused"])
            #expect(try await queue.count("counterfoil.grants") == 5)
            #expect(try await queue.order("refused") == OrderFacts(.open))
            #expect(try await queue.job(refused)?.hasPrefix("available") == true)
            #expect(try await queue.count("counterfoil.jobs where octet_length(proof) = 1048576") == 1)
            #expect(try await queue.count("counterfoil.proofs") == 0)
            #expect(try await queue.faults() == [])

            try await disk.makeRoom(queue)
            try await queue.admin.execute("update counterfoil.jobs set run_at = now()")
            _ = try await Self.settle(in: queue)

            #expect(try await queue.order("refused") == OrderFacts(.rejected, .badSignature))
            #expect(try await queue.count("counterfoil.proofs where octet_length(proof) = 1048576") == 1)
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.count("counterfoil.grants") == 5)
            #expect(try await queue.faults() == [])
            try await disk.remove(queue)
        }
    }

    /// Settles all that is due, and returns the orders that were written.
    private static func settle(in queue: QueueFixture) async throws -> [String] {
        let settled = Mutex<[String]>([])
        let settler = Settler(
            store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: WorkerConfiguration(), logger: .test,
            report: { result in
                guard case .settled = result.result else { return }
                settled.withLock { $0.append(result.settlement.job.order.id.rawValue) }
            })
        for job in try await queue.claim() {
            let id = job.order.id.rawValue
            settler.add(
                id == "refused"
                    ? Settlement(job, .end(.rejected(.badSignature, nil)), proofKind: .signedTransaction)
                    : Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate(id)])))
        }
        settler.finish()
        await settler.run()
        return settled.withLock { $0.sorted() }
    }
}

/// A disk without room for another proof: a small file system of its own for kept proofs, where this process may mount one;
/// otherwise a trigger that fails as the server does then.
private struct FullDisk {
    /// The mounted folder; nil: it is a trigger.
    let path: String?
    let tablespace: String

    static func fill(_ queue: QueueFixture) async throws -> FullDisk {
        let tablespace = "small_\(getpid())_\(UInt32.random(in: 0...UInt32.max))"
        let path = "/tmp/\(tablespace)"
        if let server = getpwnam("postgres"), mkdir(path, 0o700) == 0 {
            let owner = "uid=\(server.pointee.pw_uid),gid=\(server.pointee.pw_gid),mode=700"
            if mount("tmpfs", path, "tmpfs", 0, "size=512k,\(owner)") == 0 {
                let disk = FullDisk(path: path, tablespace: tablespace)
                do {
                    try await queue.admin.execute("create tablespace \(tablespace) location '\(path)'")
                    try await queue.admin.execute("alter table counterfoil.proofs set tablespace \(tablespace)")
                    return disk
                } catch {
                    // A server that sees other files than this process does.
                    disk.unmount()
                }
            } else {
                rmdir(path)
            }
        }
        try await queue.refuse("53100", on: "counterfoil.proofs", when: "true")
        return FullDisk(path: nil, tablespace: tablespace)
    }

    func makeRoom(_ queue: QueueFixture) async throws {
        if let path {
            try #require(mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=16m") == 0)
        } else {
            try await queue.admin.execute("drop trigger refuse on counterfoil.proofs")
        }
    }

    func remove(_ queue: QueueFixture) async throws {
        guard path != nil else { return }
        try await queue.admin.execute("alter table counterfoil.proofs set tablespace pg_default")
        try await queue.admin.execute("drop tablespace \(tablespace)")
    }

    func unmount() {
        guard let path else { return }
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
