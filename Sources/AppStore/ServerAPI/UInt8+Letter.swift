// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// ASCII letter of either case.
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
