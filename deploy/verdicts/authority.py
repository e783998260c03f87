# SPDX-License-Identifier: Apache-2.0
"""Chains of Apple's shape. Their keys are made at each run and never leave it."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

import der

LEAF_MARKER = "1.2.840.113635.100.6.11.1"
INTERMEDIATE_MARKER = "1.2.840.113635.100.6.2.1"
BUNDLE = "com.example.oracle"
ALGORITHMS = {"sha1": hashes.SHA1, "sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512}


def name(text, kind=None):
    kinds = [] if kind is None else [kind]
    return x509.Name([
        x509.NameAttribute(NameOID.COMMON_NAME, text, *kinds),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Oracle", *kinds)])


class Certificate:
    """What goes into a certificate. A recipe that is changed makes another one."""

    def __init__(self, role, key, issuer_role, issuer_key, now, years=(2, 2)):
        self.role, self.key, self.issuer_role, self.issuer_key = role, key, issuer_role, issuer_key
        day = datetime.timedelta(days=1)
        self.start, self.end = now - years[0] * 365 * day, now + years[1] * 365 * day
        self.markers = {"leaf": [LEAF_MARKER], "intermediate": [INTERMEDIATE_MARKER], "root": []}[role]
        self.is_authority = role != "leaf"
        self.path_length = {"leaf": None, "intermediate": 0, "root": None}[role]
        self.usage = "sign" if role == "leaf" else "issue"
        self.extensions = []  # (extension, is critical)
        self.name_kind = None
        self.issuer_kind = None
        self.subject = None
        self.digest = hashes.SHA256()
        self.edit = None  # changes the signed part, before it is signed
        self.finish = None  # changes the certificate, after it was signed

    def encoded(self):
        public = self.key.public_key()
        builder = (
            x509.CertificateBuilder().serial_number(x509.random_serial_number())
            .subject_name(self.subject or name("Oracle " + self.role, self.name_kind))
            .issuer_name(name("Oracle " + self.issuer_role, self.issuer_kind)).public_key(public)
            .not_valid_before(self.start).not_valid_after(self.end)
            .add_extension(x509.BasicConstraints(self.is_authority, self.path_length if self.is_authority else None), True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False))
        if self.role != "root":
            issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.issuer_key.public_key())
            builder = builder.add_extension(issuer, False)
        uses = {use: False for use in (
            "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
            "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")}
        if self.usage == "sign":
            uses["digital_signature"] = True
        elif self.usage == "issue":
            uses["key_cert_sign"] = uses["crl_sign"] = True
        else:
            uses["key_encipherment"] = True
        builder = builder.add_extension(x509.KeyUsage(**uses), True)
        for marker in self.markers:
            builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(marker), b"\x05\0"), False)
        for extension, is_critical in self.extensions:
            builder = builder.add_extension(extension, is_critical)
        certificate = builder.sign(self.issuer_key, self.digest).public_bytes(serialization.Encoding.DER)
        if self.edit:
            signed, outer, _ = der.children(certificate)
            signed = self.edit(signed)
            certificate = der.sequence(signed, outer, der.bits(sign(self.issuer_key, signed, self.digest)))
        return self.finish(certificate) if self.finish else certificate


def sign(key, content, digest):
    """As X.509 and CMS write a signature."""
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(content, padding.PKCS1v15(), digest)
    return key.sign(content, ec.ECDSA(digest))


class Authority:
    """Two chains below one root: for texts, of elliptic curves, and for receipts, of RSA below it."""

    def __init__(self, now, is_for_receipts=True):
        self.now = now
        self.root_key = ec.generate_private_key(ec.SECP384R1())
        self.intermediate_key = ec.generate_private_key(ec.SECP384R1())
        self.leaf_key = ec.generate_private_key(ec.SECP256R1())
        self.root = self.recipe("root").encoded()
        self.intermediate = self.recipe("intermediate").encoded()
        self.leaf = self.recipe("leaf").encoded()
        self.chain = [self.leaf, self.intermediate, self.root]
        if is_for_receipts:
            self.receipt_root_key = rsa.generate_private_key(65537, 2048)
            self.receipt_intermediate_key = rsa.generate_private_key(65537, 2048)
            self.receipt_key = rsa.generate_private_key(65537, 2048)
            self.receipt_root = self.receipt_recipe("root").encoded()
            self.receipt_chain = [
                self.receipt_recipe("leaf").encoded(), self.receipt_recipe("intermediate").encoded(), self.receipt_root]

    def recipe(self, role):
        if role == "root":
            return Certificate("root", self.root_key, "root", self.root_key, self.now, (10, 10))
        if role == "intermediate":
            return Certificate("intermediate", self.intermediate_key, "root", self.root_key, self.now, (5, 5))
        return Certificate("leaf", self.leaf_key, "intermediate", self.intermediate_key, self.now)

    def receipt_recipe(self, role):
        keys = {"root": self.receipt_root_key, "intermediate": self.receipt_intermediate_key, "leaf": self.receipt_key}
        issuer = {"root": "root", "intermediate": "root", "leaf": "intermediate"}[role]
        years = {"root": (10, 10), "intermediate": (5, 5), "leaf": (2, 2)}[role]
        recipe = Certificate(role, keys[role], issuer, keys[issuer], self.now, years)
        recipe.subject = name("Oracle receipt root") if role == "root" else None
        return ReceiptCertificate.of(recipe)


class ReceiptCertificate(Certificate):
    """The root of receipts has a name of its own, as Apple's has."""

    @classmethod
    def of(cls, recipe):
        recipe.__class__ = cls
        if recipe.issuer_role == "root":
            recipe.issuer_role = "receipt root"
        return recipe
