// SPDX-License-Identifier: Apache-2.0

import AppStore
import CFuzzer
import FoundationEssentials
package import Fuzzing

/// What libFuzzer calls, for one reader.
package struct FuzzTarget: Sendable {
    /// Address checks and coverage cost that much, in builds with optimisation.
    private static let slowness = 5

    private let reader: UntrustedReader
    private let examination: Examination

    /// Trusts the root in the file that `COUNTERFOIL_FUZZING_ROOT` names.
    package init(_ reader: UntrustedReader) {
        guard let path = ProcessInfo.processInfo.environment["COUNTERFOIL_FUZZING_ROOT"],
            let root = try? ExtraRoot(file: path, bundleIDs: [GenuinePurchase.bundleID])
        else { fatalError("COUNTERFOIL_FUZZING_ROOT names no root certificate") }
        self.reader = reader
        examination = Examination(trusting: TrustAnchors(further: [root]), slowness: Self.slowness)
    }

    /// Stops the process when the reader breaks a rule, which is what libFuzzer keeps an input for.
    package func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        if let violation = examination.violation(by: reader, on: input) { fatalError("\(violation)") }
        return 0
    }

    /// Changes the input in place, behind its encodings; its new length.
    package func mutate(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
        let buffer = UnsafeMutableBufferPointer(start: data, count: limit)
        var mutation = StructuredMutation(using: SplitMix(seed: UInt64(seed)), damage: Self.damaged)
        let changed = mutation.changed(Array(buffer.prefix(size)), for: reader).prefix(limit)
        _ = buffer.update(fromContentsOf: changed)
        return changed.count
    }

    /// libFuzzer's own changes, which know what the code compared.
    private static func damaged(_ bytes: [UInt8]) -> [UInt8] {
        let limit = bytes.count + 64
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            _ = buffer.update(fromContentsOf: bytes)
            count = LLVMFuzzerMutate(buffer.baseAddress, bytes.count, limit)
        }
    }
}
