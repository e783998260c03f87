// SPDX-License-Identifier: Apache-2.0

/// Object identifiers that stand in app receipts, as the content of their elements.
enum ObjectIdentifierBytes {
    /// 1.2.840.113549.1.7.1, id-data (RFC 5652, section 4).
    static let data: [UInt8] = pkcs + [7, 1]
    /// 1.2.840.113549.1.7.2, id-signedData (RFC 5652, section 5.1).
    static let signedData: [UInt8] = pkcs + [7, 2]

    /// 1.2.840.113549.1.9.3, id-contentType (RFC 5652, section 11.1).
    static let contentType: [UInt8] = pkcs + [9, 3]
    /// 1.2.840.113549.1.9.4, id-messageDigest (RFC 5652, section 11.2).
    static let messageDigest: [UInt8] = pkcs + [9, 4]

    /// 1.3.14.3.2.26.
    static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    /// 2.16.840.1.101.3.4.2.1.
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    /// 2.16.840.1.101.3.4.2.2.
    static let sha384: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
    /// 2.16.840.1.101.3.4.2.3.
    static let sha512: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]

    /// 1.2.840.113549.1.1.1, rsaEncryption: PKCS #1 v1.5 with the digest named beside it (RFC 3370, section 3.2).
    static let rsa: [UInt8] = pkcs + [1, 1]
    /// 1.2.840.113549.1.1.5.
    static let rsaWithSHA1: [UInt8] = pkcs + [1, 5]
    /// 1.2.840.113549.1.1.11.
    static let rsaWithSHA256: [UInt8] = pkcs + [1, 11]
    /// 1.2.840.113549.1.1.12.
    static let rsaWithSHA384: [UInt8] = pkcs + [1, 12]
    /// 1.2.840.113549.1.1.13.
    static let rsaWithSHA512: [UInt8] = pkcs + [1, 13]

    /// 1.2.840.10045.4.3.2 (RFC 5758, section 3.2).
    static let ecdsaWithSHA256: [UInt8] = ecdsaWithSHA2 + [2]
    /// 1.2.840.10045.4.3.3.
    static let ecdsaWithSHA384: [UInt8] = ecdsaWithSHA2 + [3]
    /// 1.2.840.10045.4.3.4.
    static let ecdsaWithSHA512: [UInt8] = ecdsaWithSHA2 + [4]

    /// 1.2.840.10045.4.3.
    private static let ecdsaWithSHA2: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3]

    /// 1.2.840.113549.1.
    private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
}
