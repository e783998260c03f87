// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rehearsal
import Testing
import Verification

@testable import counterfoil_bench

@Suite struct ScenarioTests {
    @Test func workersOfAnOlderSchemaAreNeeded() throws {
        var scenario = try #require(Scenarios.named("old-and-new-workers"))
        let requirement = try #require(scenario.requirement)

        #expect(requirement.obstacle(scenario.settings, migrations: 7) == "it needs --older-worker")

        scenario.settings.olderProgram = "/usr/bin/counterfoil"

        #expect(requirement.obstacle(scenario.settings, migrations: 7) == nil)
        #expect(
            requirement.obstacle(scenario.settings, migrations: 6)
                == "no program knows an older schema before there is a migration 0007")
        #expect(scenario.settings.workersAtFirst == 2)
        #expect(scenario.settings.workers == 4)
    }

    @Test func onlyFiveScenariosAreEverLeftOut() {
        #expect(
            Scenarios.all.filter { $0.requirement != nil }.map(\.name)
                == ["wrong-clock", "pgbouncer", "disk-full", "old-and-new-workers", "deliveries-and-pooler"])
    }

    /// Those of Apple's answers, of clocks and of numbers of jobs are left out.
    @Test func settlementDecidesAllButThoseOfAppleClocksAndNumbers() throws {
        let group = try #require(Scenarios.group("settlement")).map(\.name)

        #expect(
            Scenarios.all.map(\.name).filter { !group.contains($0) } == [
                "wrong-clock", "gateway-killed", "apple-outage", "apple-errors", "apple-stalls", "apple-wrong-answers", "apple-429",
                "no-secret-refused", "one-secret-refused", "secret-renewed", "intake-away", "burst", "snapshot-held",
                "future-jobs",
            ])
        #expect(group.count == 33)
        #expect(Scenarios.group("all")?.count == Scenarios.all.count)
        #expect(Scenarios.group("same-proof")?.map(\.name) == ["same-proof"])
        #expect(Scenarios.group("settlements") == nil)
    }

    /// The longest first; what measures times, or takes both processors, has them for itself.
    @Test func scenariosRunAtOnceButThoseThatRunAlone() throws {
        let names = ["kill-random", "postgres-away", "same-proof", "burst", "ten-orders-held", "snapshot-held", "terminate"]
        let scenarios = Scenarios.all.filter { names.contains($0.name) }

        let atOnce = ChaosRun.turns(scenarios, seeds: [2, 3], atOnce: 2)
        let oneByOne = ChaosRun.turns(scenarios, seeds: [2, 3], atOnce: 1)

        #expect(atOnce.together.prefix(2).map(\.scenario.name) == ["postgres-away", "postgres-away"])
        #expect(Set(atOnce.together.map(\.scenario.name)) == ["kill-random", "postgres-away", "terminate"])
        #expect(atOnce.together.count == 6)
        #expect(Set(atOnce.alone.map(\.scenario.name)) == ["burst", "same-proof", "snapshot-held", "ten-orders-held"])
        #expect(atOnce.alone.count == 8)
        #expect(oneByOne.together.isEmpty)
        #expect(oneByOne.alone.map(\.seed) == Array(repeating: 2, count: 7) + Array(repeating: 3, count: 7))
    }

    @Test func aLongerLoadHasMorePurchasesAndMorePatience() {
        var settings = ChaosSettings()

        settings.lengthen(to: .seconds(120))

        #expect(settings.purchases == 3600)
        #expect(settings.patience == .seconds(180))
    }

    @Test func aDatabaseIsAwayForAsLongAsPurchasesComeIn() throws {
        var scenario = try #require(Scenarios.named("postgres-away"))

        #expect(scenario.events(seed: 1).map(\.kind) == [.crashDatabase(away: .seconds(120))])

        scenario.settings.lengthen(to: .seconds(180))

        #expect(scenario.events(seed: 1).map(\.kind) == [.crashDatabase(away: .seconds(180))])
    }

    /// All that differs between their times is what ten receipts do to the others.
    @Test func theScenariosOfASecretDifferInTheReceiptsThatItIsRefusedFor() throws {
        let without = try #require(Scenarios.named("no-secret-refused"))
        let with = try #require(Scenarios.named("one-secret-refused"))
        let purchases = [without, with].map { ChaosLoad.plan($0.settings, seed: 1).purchases }

        #expect(without.events(seed: 1) == with.events(seed: 1))
        #expect(purchases[1].count == purchases[0].count + 10)
        #expect(purchases[1].count { $0.expectations.flatMap(\.outcomes).contains(.review(.credentialRefused)) } == 10)
    }

    @Test func everyMomentOfAKillMustCome() throws {
        let scenario = try #require(Scenarios.named("kill-at-points"))
        let faults = scenario.events(seed: 1).map { event in
            InjectedFault(kind: event.kind, begunAt: Date(), healedAt: Date(), recovery: .none)
        }

        #expect(scenario.faultsThatMustCome.count == 7)
        #expect(scenario.missing(among: faults) == [])
        #expect(
            scenario.missing(among: faults.filter { $0.kind.label != "killed at: granted" }) == ["killed at: granted"])
    }

    @Test(arguments: ["churned-1", "future-0"])
    func ordersOfCrowdsAreInNoPlan(order: String) throws {
        #expect(FaultInjector.isOfCrowd(order))
        #expect(ChaosLoad.plan(ChaosSettings(), seed: 1).purchases.allSatisfy { purchase in
            !purchase.orders.contains { FaultInjector.isOfCrowd($0.id) }
        })
    }
}
