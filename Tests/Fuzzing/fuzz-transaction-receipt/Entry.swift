// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Fuzzing

private let target = FuzzTarget(.transactionReceipt)

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    target.test(data, size)
}

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    target.mutate(data, size, limit, seed)
}
