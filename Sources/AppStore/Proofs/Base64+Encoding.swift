// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension Base64 {
    /// The text that stands for some bytes, without padding.
    package static func encode(_ bytes: some Sequence<UInt8>, as alphabet: Alphabet) -> String {
        let padded = Data(bytes).base64EncodedString().utf8
        let symbols = padded.lazy.filter { $0 != padding }.map { symbol in
            switch (alphabet, symbol) {
            case (.url, UInt8(ascii: "+")): UInt8(ascii: "-")
            case (.url, UInt8(ascii: "/")): UInt8(ascii: "_")
            default: symbol
            }
        }
        return String(decoding: Array(symbols), as: UTF8.self)
    }
}
