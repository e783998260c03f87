// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Rehearsal

/// What befalls the network between workers and the database.
extension FaultInjector {
    func spring(_ point: NamedPoint, _ ending: Trap.Ending, _ worker: Int, _ kind: FaultKind) async {
        _ = await environment.proxies[worker].spring(at: point, ending, within: Self.patience) {
            self.note(kind, .settlementOf(worker: worker))
        }
    }

    func cutOff(_ worker: Int, for duration: Duration, _ kind: FaultKind) async throws {
        let proxy = environment.proxies[worker]
        proxy.setMode(.refuse)
        defer { proxy.setMode(.forward) }
        proxy.cutAll()
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }

    func slowDown(_ worker: Int, by delay: Duration, for duration: Duration, _ kind: FaultKind) async throws {
        let proxy = environment.proxies[worker]
        proxy.delay = .init(delay)
        defer { proxy.delay = .zero }
        try await Task.sleep(for: duration)
        note(kind, .settlementOf(worker: worker))
    }
}
