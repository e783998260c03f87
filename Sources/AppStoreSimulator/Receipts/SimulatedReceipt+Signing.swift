// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension SimulatedReceipt {
    /// The receipt signed in any way in which the App Store might have signed it: standard base64 in one line.
    ///
    /// Equal receipts, signed alike by one authority, give equal bytes.
    ///
    /// - Parameter forged: makes the result wrong in one way.
    package func signed(
        by authority: SimulatedCertificateAuthority, as signature: ReceiptSignature = ReceiptSignature(),
        forged: ForgedReceiptVariant? = nil
    ) throws -> String {
        try Data(signedBytes(by: authority, as: signature, forged: forged)).base64EncodedString()
    }

    /// The bytes of ``signed(by:as:forged:)``.
    package func signedBytes(
        by authority: SimulatedCertificateAuthority, as signature: ReceiptSignature = ReceiptSignature(),
        forged: ForgedReceiptVariant? = nil
    ) throws -> [UInt8] {
        if let forged {
            return try ReceiptForger(authority: authority, receipt: self, signature: signature).forged(forged)
        }
        return try authority.signReceipt(content: content(), as: signature)
    }
}

extension SimulatedCertificateAuthority {
    /// The bytes of a receipt whose content is any bytes, signed honestly.
    ///
    /// - Parameter certificates: DER of the certificates to put into it in place of the honest ones.
    package func signReceipt(
        content: [UInt8], as signature: ReceiptSignature = ReceiptSignature(), certificates: [[UInt8]]? = nil
    ) throws -> [UInt8] {
        var container = try ReceiptContainer(signing: content, by: receiptSigner, as: signature)
        if let certificates { container.certificates = certificates }
        if signature.addsCertificate { container.certificates?.insert(try chain[1].derBytes, at: 0) }
        return try container.encoded()
    }

    /// The bytes of a receipt whose signature is that of another content.
    package func forgeReceipt(content: [UInt8], signedAs other: [UInt8]) throws -> [UInt8] {
        var container = try ReceiptContainer(signing: other, by: receiptSigner, as: ReceiptSignature())
        container.content = content
        return try container.encoded()
    }
}

extension ReceiptContainer {
    /// The container of `content`, signed honestly.
    init(
        signing content: [UInt8], by signer: ReceiptSigningIdentity, as signature: ReceiptSignature
    ) throws {
        let digest = signature.digest
        var attributes: [UInt8]?
        if signature.coversAttributes {
            attributes = try ReceiptSignedAttributes(messageDigests: [digest.hash(content)]).encoded()
        }
        self.content = content
        self.digest = digest.name
        certificates = try signer.certificates.dropLast(signature.leavesRootOut ? 1 : 0).map { try $0.derBytes }
        if signature.putsRootFirst { certificates?.reverse() }
        signers = [
            Signer(
                identifier: try Signer.identifier(of: signer.certificates[0]), digest: digest.name,
                attributes: attributes, algorithm: signature.namesDigest ? digest.signatureName : .rsaEncryption,
                signature: try digest.signature(
                    over: attributes.map(ReceiptSignedAttributes.signedBytes) ?? content, by: signer.leafKey))
        ]
    }
}
