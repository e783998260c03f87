# SPDX-License-Identifier: Apache-2.0
"""Texts as Apple signs them, changed in one way each, before or after they are signed.

The truth of a text is known from how it was made:

signed   the trusted leaf, or the trusted intermediate, signed all that is in it: only Apple could have made it
forged   somebody else signed it, or a certificate of the chain isn't for signing App Store data
damaged  it was signed, and changed afterwards
"""

import base64
import datetime
import json

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa, utils
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID

import der
from authority import ALGORITHMS, BUNDLE, Authority, name, sign

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Mutant:
    def __init__(self, form, mutation, truth, text, facts=None):
        """facts: the transactions that may be verified, as pairs of id and product; None where any may that it names."""
        self.form, self.mutation, self.truth, self.text, self.facts = form, mutation, truth, text, facts


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def compact(header, payload, key):
    """A compact JWS by ES256."""
    signed = f"{base64url(header)}.{base64url(payload)}"
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def written(fields):
    """An object whose values are JSON already; a name may stand there twice."""
    return "{" + ",".join(f"{json.dumps(field)}:{value}" for field, value in fields) + "}"


class Generator:
    FORMS = (["transaction"] * 8 + ["chain"] * 3 + ["header"] * 1 + ["damage"] * 3 + ["receipt"] * 4 + ["container"] * 4
             + ["receipt chain"] * 2 + ["receipt damage"] * 3 + ["notification"] * 3 + ["other text"] * 2)

    def __init__(self, random, now):
        self.random, self.now = random, now
        self.ours = Authority(now)
        self.stranger = Authority(now)
        self.milliseconds = int(now.timestamp()) * 1000
        self.place = {}

    def mutants(self, count):
        for number in range(count):
            form = self.FORMS[number % len(self.FORMS)]
            yield getattr(self, "make_" + form.replace(" ", "_"))()

    def take(self, group, choices):
        """One after the other, so that all come."""
        at = self.place.get(group, 0)
        self.place[group] = at + 1
        return choices[at % len(choices)]

    def id(self):
        return str(self.random.randrange(10 ** 14, 10 ** 15))

    def header(self, chain=None):
        certificates = [base64.b64encode(each).decode() for each in chain or self.ours.chain]
        return [("alg", '"ES256"'), ("x5c", json.dumps(certificates, separators=(",", ":")))]

    def signed(self, fields, chain=None, key=None):
        payload = written(fields).encode() if isinstance(fields, list) else fields
        return compact(written(self.header(chain)).encode(), payload, key or self.ours.leaf_key)

    # Signed transactions

    def transaction(self):
        identifier = self.id()
        kind = self.random.choice(["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"])
        fields = [
            ("transactionId", json.dumps(identifier)), ("originalTransactionId", json.dumps(identifier)),
            ("bundleId", json.dumps(BUNDLE)), ("productId", json.dumps("product." + str(self.random.randrange(9)))),
            ("purchaseDate", str(self.milliseconds)), ("originalPurchaseDate", str(self.milliseconds)),
            ("quantity", str(self.random.randrange(1, 5))), ("type", json.dumps(kind)),
            ("appAccountToken", '"de305d54-75b4-431b-adb2-eb6b9e546014"'), ("inAppOwnershipType", '"PURCHASED"'),
            ("signedDate", str(self.milliseconds)), ("environment", '"Sandbox"'), ("transactionReason", '"PURCHASE"'),
            ("storefront", '"USA"'), ("storefrontId", '"143441"'), ("price", "1990"), ("currency", '"USD"'),
            ("appTransactionId", '"704000000000000001"')]
        if kind.startswith("Auto"):
            fields.insert(6, ("expiresDate", str(self.milliseconds + 30 * 86_400_000)))
            fields.insert(2, ("webOrderLineItemId", json.dumps(self.id())))
        return fields

    @staticmethod
    def facts_of(fields):
        values = dict(fields)
        return [(json.loads(values["transactionId"]), json.loads(values["productId"]))]

    VALUES = {
        "absent": None, "null": "null", "true": "true", "seven": "7", "text": '"seven"', "array": "[7]", "object": '{"seven":7}',
        "empty": '""', "zero": "0", "minus one": "-1", "huge text": '"' + "x" * 3000 + '"', "huge number": "1e300",
        "many digits": "99999999999999999999", "nul": '"\\u0000"', "fraction": "1.5", "new value": '"SOMETHING_NEW"'}
    LISTED = {
        "environment": ['"Production"', '"Xcode"', '"LocalTesting"', '"sandbox"'],
        "inAppOwnershipType": ['"FAMILY_SHARED"', '"ASSIGNED"'], "transactionReason": ['"RENEWAL"'],
        "bundleId": ['"com.example.other"'], "signedDate": ["1", "4102444800000"], "quantity": ["2147483648"],
        "type": ['"Consumable"'], "revocationDate": ["1"], "revocationReason": ["1"], "isUpgraded": ["true"]}

    def make_transaction(self):
        fields = self.transaction()
        names = [field for field, _ in fields] + ["revocationDate", "revocationReason", "isUpgraded", "somethingNew"]
        how = self.take("transaction", ["whole", "value", "value", "value", "value", "twice", "listed", "order", "encoding"])
        if how == "whole":
            return Mutant("transaction", "whole", "signed", self.signed(fields), self.facts_of(fields))
        if how == "order":
            self.random.shuffle(fields)
            payload = written(fields).replace(",", self.random.choice([" ,\n", ",\t"])).encode()
            return Mutant("transaction", "order", "signed", self.signed(payload), self.facts_of(fields))
        if how == "encoding":
            encoding = self.take("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
            if self.random.random() < 0.5:
                fields.append(("productId", '"product.dear"'))
            return Mutant("transaction", "encoding " + encoding, "signed", self.signed(written(fields).encode(encoding)), None)
        if how == "twice":
            field = self.take("twice", names)
            same = self.random.random() < 0.3
            value = dict(fields).get(field, "1") if same else self.random.choice(['"other"', "7"])
            fields.insert(self.random.randrange(len(fields) + 1), (field, value))
            if field not in dict(fields[:-1]):
                same = True
            return Mutant("transaction", f"twice {field}", "signed", self.signed(fields), None)
        if how == "listed":
            field = self.take("listed", list(self.LISTED))
            value = self.take("listed " + field, self.LISTED[field])
            label = f"listed {field} {value}"
        else:
            field = self.take("field", names)
            label = self.take("value " + field, list(self.VALUES))
            value = self.VALUES[label]
            label = f"value {field} {label}"
        place = next((i for i, each in enumerate(fields) if each[0] == field), len(fields))
        fields[place:place + 1] = [] if value is None else [(field, value)]
        return Mutant("transaction", label, "signed", self.signed(fields), None)

    def make_header(self):
        fields = self.transaction()
        header, chain = self.header(), [base64.b64encode(each).decode() for each in self.ours.chain]
        x5c = header[1]
        choices = {
            "typ and kid": header + [("typ", '"JWT"'), ("kid", '"ABCDEF0123"')],
            "alg twice, equal": header + [header[0]], "alg twice": [("alg", '"none"')] + header,
            "alg twice, last none": header + [("alg", '"none"')],
            "x5c twice": [("x5c", "[]")] + header, "new twice": header + [("new", "1"), ("new", "2")],
            "crit": header + [("crit", '["b64"]'), ("b64", "false")], "alg none": [("alg", '"none"'), x5c],
            "alg HS256": [("alg", '"HS256"'), x5c], "alg lower": [("alg", '"es256"'), x5c], "alg absent": [x5c],
            "x5c of two": [header[0], ("x5c", json.dumps(chain[:2]))],
            "x5c of four": [header[0], ("x5c", json.dumps(chain + chain[2:]))],
            "x5c reversed": [header[0], ("x5c", json.dumps(chain[::-1]))], "x5c absent": [header[0]],
            "x5c empty": [header[0], ("x5c", "[]")],
            "x5c of numbers": [header[0], ("x5c", "[1,2,3]")],
            "x5c with lines": [header[0], ("x5c", json.dumps([each[:64] + "\n" + each[64:] for each in chain]))]}
        label = self.take("header", list(choices) + ["utf-16"])
        text = written(self.header()).encode("utf-16") if label == "utf-16" else written(choices[label]).encode()
        # Whoever leaves the algorithm out, or names another one, signed nothing by ES256: the text is the leaf's all the same.
        jws = compact(text, written(fields).encode(), self.ours.leaf_key)
        return Mutant("transaction", "header " + label, "signed", jws, self.facts_of(fields))

    # Chains

    def profile(self, recipe):
        """Changes a certificate to one that Apple never made so far: a label, and the truth of what it signs."""
        is_leaf = recipe.role == "leaf"

        def unknown(text):
            return x509.UnrecognizedExtension(x509.ObjectIdentifier(text), b"\x05\0")

        policy = x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier("1.2.840.113635.100.5.6.1"), None)])
        place = [x509.DistributionPoint([x509.UniformResourceIdentifier("http://crl.example.com/a.crl")], None, None, None)]
        extensions = {
            "extended use": x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), "policies": policy,
            "alternative name": x509.SubjectAlternativeName([x509.DNSName("store.example.com")]),
            "lists": x509.CRLDistributionPoints(place), "unknown": unknown("1.2.840.113635.100.6.99"),
            "no policy": x509.InhibitAnyPolicy(0),
            "limits of policies": x509.PolicyConstraints(0, None)}
        choices = [f"critical {each}" for each in extensions] + [f"plain {each}" for each in extensions] + [
            "no usage", "other usage", "printable names", "sha512", "inner algorithm", "expired", "not yet valid", "no marker",
            "other marker", "self-made", "not minimal", "unused bits", "bytes behind"]
        choices += ["constraints that can't be read"] if is_leaf else ["no authority", "no path", "long path"]
        label = self.take("profile " + recipe.role, choices)
        truth = "signed"
        if label.startswith(("critical ", "plain ")):
            recipe.extensions.append((extensions[label.split(" ", 1)[1]], label.startswith("critical")))
        elif label == "no usage":
            recipe.edit = lambda signed: self.without(signed, "2.5.29.15")
        elif label == "other usage":
            recipe.usage = "encipher"
        elif label == "printable names":
            recipe.issuer_kind = x509.name._ASN1Type.PrintableString
        elif label == "sha512":
            recipe.digest = hashes.SHA512()
        elif label == "inner algorithm":
            recipe.edit = self.with_other_algorithm
        elif label == "expired":
            recipe.end, truth = recipe.start + datetime.timedelta(days=9), "forged"
        elif label == "not yet valid":
            recipe.start, truth = self.now + datetime.timedelta(days=9), "forged"
        elif label in ("no marker", "other marker"):
            recipe.markers, truth = [] if label == "no marker" else ["1.2.840.113635.100.6.1.2"], "forged"
        elif label == "self-made":
            recipe.issuer_key, truth = recipe.key, "forged"
        elif label == "no authority":
            recipe.is_authority, truth = False, "forged"
        elif label in ("no path", "long path"):
            recipe.path_length = None if label == "no path" else 3
        elif label == "constraints that can't be read":
            recipe.edit = lambda signed: self.with_extension(signed, "2.5.29.19", b"\x04\x02\x05\x00")
        elif label == "not minimal":
            recipe.finish = lambda whole: b"\x30\x83\0" + whole[2:4] + whole[4:]
        elif label == "unused bits":
            recipe.finish = self.with_unused_bits
        elif label == "bytes behind":
            recipe.finish = lambda whole: whole + b"\0"
        return label, truth

    @staticmethod
    def extensions_of(signed):
        parts = der.children(signed)
        return parts, der.children(der.children(parts[-1])[0])

    def without(self, signed, identifier):
        parts, extensions = self.extensions_of(signed)
        kept = [each for each in extensions if der.children(each)[0] != der.oid(identifier)]
        return der.sequence(*parts[:-1], der.element(0xA3, der.sequence(*kept)))

    def with_extension(self, signed, identifier, value):
        parts, extensions = self.extensions_of(signed)
        changed = [
            der.sequence(*der.children(each)[:-1], value) if der.children(each)[0] == der.oid(identifier) else each
            for each in extensions]
        return der.sequence(*parts[:-1], der.element(0xA3, der.sequence(*changed)))

    @staticmethod
    def with_other_algorithm(signed):
        parts = der.children(signed)
        is_ecdsa = b"\x2a\x86\x48\xce" in parts[2]
        parts[2] = der.sequence(der.oid("1.2.840.10045.4.3.4")) if is_ecdsa else der.algorithm("1.2.840.113549.1.1.13")
        return der.sequence(*parts)

    @staticmethod
    def with_unused_bits(whole):
        signed, outer, signature = der.children(whole)
        return der.sequence(signed, outer, der.element(0x03, b"\1" + der.read(signature)[1][1:]))

    def root_in_place(self, authority, root, key, recipe):
        """What stands in the root's place: a label, the certificate, and the truth."""
        label = self.take("root in place", ["reissued", "cross-signed", "another key", "damaged", "another name", "no certificate"])
        if label == "reissued":
            return label, recipe("root").encoded(), "signed"
        if label == "cross-signed":
            changed = recipe("root")
            changed.issuer_role, changed.issuer_key = "other", self.stranger.root_key
            return label, changed.encoded(), "signed"
        if label == "another key":
            changed = recipe("root")
            changed.key = changed.issuer_key = ec.generate_private_key(ec.SECP384R1())
            return label, changed.encoded(), "signed"
        if label == "damaged":
            return label, root[:-1] + bytes([root[-1] ^ 1]), "signed"
        if label == "another name":
            changed = recipe("root")
            changed.subject = name("Another root")
            return label, changed.encoded(), "signed"
        return label, b"\x30\0", "signed"

    def make_chain(self):
        fields, ours = self.transaction(), self.ours
        how = self.take("chain", ["leaf", "intermediate", "root", "stranger", "mixed"])
        facts = self.facts_of(fields)
        if how == "stranger":
            label = self.take("stranger", ["whole", "with our root", "with our intermediate", "our chain, their key"])
            chain = {"whole": self.stranger.chain, "with our root": self.stranger.chain[:2] + [ours.root],
                     "with our intermediate": [self.stranger.leaf] + ours.chain[1:], "our chain, their key": ours.chain}[label]
            return Mutant("transaction", "stranger " + label, "forged", self.signed(fields, chain, self.stranger.leaf_key), [])
        if how == "mixed":
            label = self.take("mixed", ["leaf by root", "intermediate signs", "leaf of receipts", "intermediate of receipts"])
            chain, key = list(ours.chain), ours.leaf_key
            if label == "leaf by root":
                recipe = ours.recipe("leaf")
                recipe.issuer_role, recipe.issuer_key = "root", ours.root_key
                chain[0] = recipe.encoded()
            elif label == "intermediate signs":
                chain, key = [chain[1], chain[2], chain[2]], ec.generate_private_key(ec.SECP256R1())
            elif label == "leaf of receipts":
                chain[0] = ours.receipt_chain[0]
            else:
                chain[1] = ours.receipt_chain[1]
            return Mutant("transaction", "mixed " + label, "forged", self.signed(fields, chain, key), [])
        if how == "root":
            label, root, truth = self.root_in_place(ours, ours.root, ours.root_key, ours.recipe)
            return Mutant("transaction", "root " + label, truth, self.signed(fields, ours.chain[:2] + [root]), facts)
        recipe = ours.recipe(how)
        label, truth = self.profile(recipe)
        chain = list(ours.chain)
        chain[0 if how == "leaf" else 1] = recipe.encoded()
        return Mutant("transaction", f"{how} {label}", truth, self.signed(fields, chain), facts if truth != "forged" else [])

    # Damage after the signature

    def damaged(self, text):
        """A label and the text."""
        parts = text.split(".")
        at = self.random.randrange(len(parts))
        part = parts[at]
        label = self.take("damage", [
            "letter", "letter", "letter", "bit of a certificate", "zero signature", "high s", "swapped payload",
            "swapped signature", "cut", "doubled part", "padding", "spaces around", "standard alphabet", "last letter",
            "fourth part", "quoted", "percent"])
        symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        if label == "letter":
            place = self.random.randrange(len(part))
            parts[at] = part[:place] + self.random.choice(symbols.replace(part[place], "")) + part[place + 1:]
            label += f" of part {at + 1}"
        elif label == "bit of a certificate":
            header = json.loads(base64.urlsafe_b64decode(parts[0] + "=="))
            which = self.random.randrange(3)
            whole = bytearray(base64.b64decode(header["x5c"][which]))
            whole[self.random.randrange(len(whole))] ^= 1 << self.random.randrange(8)
            header["x5c"][which] = base64.b64encode(whole).decode()
            parts[0] = base64url(json.dumps(header, separators=(",", ":")).encode())
        elif label == "zero signature":
            parts[2] = base64url(bytes(64))
        elif label == "high s":
            signature = base64.urlsafe_b64decode(parts[2] + "==")
            parts[2] = base64url(signature[:32] + (P256_ORDER - int.from_bytes(signature[32:], "big")).to_bytes(32, "big"))
        elif label.startswith("swapped"):
            other = self.signed(self.transaction()).split(".")
            place = 1 if label.endswith("payload") else 2
            parts[place] = other[place]
        elif label == "cut":
            return label, text[:self.random.randrange(len(text) - 1)]
        elif label == "doubled part":
            parts[at] += part
        elif label == "padding":
            parts[at] += "=" * (-len(part) % 4)
        elif label == "spaces around":
            return label, " " + text + "\t"
        elif label == "standard alphabet":
            return label, text.replace("-", "+").replace("_", "/")
        elif label == "last letter":
            parts[at] = part[:-1] + self.random.choice(symbols)
        elif label == "fourth part":
            return label, text + ".AAAA"
        elif label == "quoted":
            return label, f'"{text}"'
        else:
            return label, "".join(f"%{byte:02x}" for byte in text.encode())
        return label, ".".join(parts)

    def make_damage(self):
        fields = self.transaction()
        label, text = self.damaged(self.signed(fields))
        return Mutant("transaction", "damage " + label, "damaged", text, self.facts_of(fields))

    # Notifications and Apple's other texts

    def notification(self, inner=None, **changes):
        data = [("appAppleId", "1234"), ("bundleId", json.dumps(BUNDLE)), ("bundleVersion", '"1"'), ("environment", '"Sandbox"')]
        if inner:
            data.append(("signedTransactionInfo", json.dumps(inner)))
        fields = [
            ("notificationType", '"ONE_TIME_CHARGE"'), ("notificationUUID", '"3d5b0d3f-3a3c-4f6b-8a77-07b6d1f0a001"'),
            ("data", written(data)), ("version", '"2.0"'), ("signedDate", str(self.milliseconds))]
        return [(field, changes.get(field, value)) for field, value in fields]

    def make_notification(self):
        fields = self.transaction()
        inner, facts = self.signed(fields), self.facts_of(fields)
        label = self.take("notification", [
            "whole", "without a transaction", "forged, with a genuine transaction", "with a forged transaction", "damage",
            "with a damaged transaction", "type twice", "data twice", "body", "utf-16", "value"])
        truth, text = "signed", None
        if label == "whole":
            text = self.signed(self.notification(inner))
        elif label == "without a transaction":
            text, facts = self.signed(self.notification()), []
        elif label == "forged, with a genuine transaction":
            truth, text = "damaged", self.signed(self.notification(inner), self.stranger.chain, self.stranger.leaf_key)
        elif label == "with a forged transaction":
            inner = self.signed(fields, self.stranger.chain, self.stranger.leaf_key)
            truth, text, facts = "forged", self.signed(self.notification(inner)), []
        elif label == "with a damaged transaction":
            truth, text = "damaged", self.signed(self.notification(self.damaged(inner)[1]))
        elif label == "damage":
            how, text = self.damaged(self.signed(self.notification(inner)))
            truth, label = "damaged", "damage " + how
        elif label.endswith("twice"):
            whole = self.notification(inner)
            field = "notificationType" if label.startswith("type") else "data"
            text = self.signed(whole + [(field, '"OTHER"' if field == "notificationType" else "{}")])
        elif label == "body":
            text = json.dumps({"signedPayload": self.signed(self.notification(inner))})
        elif label == "utf-16":
            text = self.signed(written(self.notification(inner)).encode("utf-16"))
        else:
            field = self.take("notification field", ["notificationType", "notificationUUID", "version", "signedDate"])
            value = self.take("notification value " + field, list(self.VALUES))
            label = f"value {field} {value}"
            whole = [each for each in self.notification(inner) if each[0] != field]
            if self.VALUES[value] is not None:
                whole.append((field, self.VALUES[value]))
            text = self.signed(whole)
        return Mutant("notification", label, truth, text, facts)

    def make_other_text(self):
        form = self.take("other text", ["renewal info", "app transaction"])
        if form == "renewal info":
            # Apple's names no app. This one does: the operator's own root speaks for named apps only.
            fields = [
                ("originalTransactionId", json.dumps(self.id())), ("autoRenewProductId", '"product.1"'),
                ("productId", '"product.1"'), ("autoRenewStatus", "1"), ("bundleId", json.dumps(BUNDLE)),
                ("signedDate", str(self.milliseconds)), ("environment", '"Sandbox"'), ("renewalDate", str(self.milliseconds))]
        else:
            fields = [
                ("receiptType", '"Sandbox"'), ("bundleId", json.dumps(BUNDLE)), ("applicationVersion", '"1"'),
                ("originalApplicationVersion", '"1.0"'), ("receiptCreationDate", str(self.milliseconds)),
                ("requestDate", str(self.milliseconds)), ("appTransactionId", '"704000000000000001"')]
        label = self.take("how of " + form, ["whole", "forged", "damage", "utf-16", "date outside"])
        if label == "whole":
            return Mutant(form, label, "signed", self.signed(fields), [])
        if label == "forged":
            return Mutant(form, label, "forged", self.signed(fields, self.stranger.chain, self.stranger.leaf_key), [])
        if label == "utf-16":
            return Mutant(form, label, "signed", self.signed(written(fields).encode("utf-16")), [])
        if label == "date outside":
            changed = [(field, "1" if field in ("signedDate", "receiptCreationDate") else value) for field, value in fields]
            return Mutant(form, label, "signed", self.signed(changed), [])
        how, text = self.damaged(self.signed(fields))
        return Mutant(form, "damage " + how, "damaged", text, [])

    # Receipts

    def moment(self, days=0):
        return (self.now + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def purchase(self):
        identifier, kind = self.id(), self.random.randrange(4)
        return [
            (1701, der.integer(self.random.randrange(1, 5))), (1702, der.utf8("product." + str(self.random.randrange(9)))),
            (1703, der.utf8(identifier)), (1704, der.ia5(self.moment())), (1705, der.utf8(identifier)),
            (1706, der.ia5(self.moment())), (1707, der.integer(kind)), (1708, der.ia5(self.moment(30) if kind == 3 else "")),
            (1711, der.integer(int(self.id()) if kind == 3 else 0)), (1712, der.ia5("")), (1719, der.integer(0))]

    def app(self):
        return [
            (0, der.utf8("ProductionSandbox")), (2, der.utf8(BUNDLE)), (3, der.utf8("1")), (4, der.octets(b"\1" * 16)),
            (5, der.octets(b"\2" * 20)), (12, der.ia5(self.moment())), (18, der.ia5(self.moment())), (19, der.utf8("1.0"))]

    @staticmethod
    def attributes(attributes):
        return der.set_of(*(der.sequence(der.integer(kind), der.integer(1), der.octets(value)) for kind, value in attributes))

    def content(self, app, purchases):
        return self.attributes(app + [(17, self.attributes(each)) for each in purchases])

    @staticmethod
    def facts_of_purchases(purchases):
        def text(purchase, kind):
            return der.read(dict(purchase)[kind])[1].decode()
        return [(text(each, 1703), text(each, 1702)) for each in purchases]

    DIGESTS = {"sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1", "sha384": "2.16.840.1.101.3.4.2.2",
               "sha512": "2.16.840.1.101.3.4.2.3", "md5": "1.2.840.113549.2.5"}
    RSA_NAMES = {"sha1": "1.2.840.113549.1.1.5", "sha256": "1.2.840.113549.1.1.11", "sha384": "1.2.840.113549.1.1.12",
                 "sha512": "1.2.840.113549.1.1.13"}
    ECDSA_NAMES = {"sha256": "1.2.840.10045.4.3.2", "sha384": "1.2.840.10045.4.3.3", "sha512": "1.2.840.10045.4.3.4"}

    def signer(self, content, chain, key, digest="sha256", algorithm=None, by_key=False, attributes=False):
        parts = der.children(der.children(chain[0])[0])
        serial, issuer = parts[1], parts[3]
        if by_key:
            certificate = x509.load_der_x509_certificate(chain[0])
            identifier = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
            version, named = 3, der.element(0x80, identifier)
        else:
            version, named = 1, der.sequence(issuer, serial)
        signed, within = content, b""
        if attributes:
            hashed = hashes.Hash(ALGORITHMS[digest]())
            hashed.update(content)
            within = b"".join(sorted([
                der.sequence(der.oid("1.2.840.113549.1.9.3"), der.set_of(der.oid("1.2.840.113549.1.7.1"))),
                der.sequence(der.oid("1.2.840.113549.1.9.4"), der.set_of(der.octets(hashed.finalize())))]))
            signed = der.set_of(within)
        if algorithm is None:
            algorithm = self.ECDSA_NAMES[digest] if isinstance(key, ec.EllipticCurvePrivateKey) else "1.2.840.113549.1.1.1"
        signature = sign(key, signed, ALGORITHMS[digest]())
        return der.sequence(
            der.integer(version), named, der.algorithm(self.DIGESTS[digest]), der.element(0xA0, within) if attributes else b"",
            der.algorithm(algorithm), der.octets(signature))

    def container(self, content, certificates, signers, digests=("sha256",), version=1, behind=b""):
        signed = der.sequence(
            der.integer(version), der.set_of(*(der.algorithm(self.DIGESTS[each]) for each in digests)),
            der.sequence(der.oid("1.2.840.113549.1.7.1"), der.element(0xA0, der.octets(content))),
            der.element(0xA0, *certificates), der.set_of(*signers))
        whole = der.sequence(der.oid("1.2.840.113549.1.7.2"), der.element(0xA0, signed)) + behind
        return base64.b64encode(whole).decode()

    def receipt(self, content, chain=None, key=None):
        chain, key = chain or self.ours.receipt_chain, key or self.ours.receipt_key
        return self.container(content, chain, [self.signer(content, chain, key)])

    DER_VALUES = {
        "absent": None, "null": b"\x05\0", "text": der.utf8("seven"), "number": der.integer(7), "boolean": b"\1\1\xff",
        "octets": der.octets(b"7"), "set": b"\x31\0", "empty": b"", "empty text": der.utf8(""), "empty number": b"\2\0",
        "zero": der.integer(0), "huge": der.utf8("7" * 3000), "big": der.integer(1 << 62), "minus one": der.integer(-1),
        "nul": der.utf8("\0"), "cut": b"\x0c\x7f7", "two": der.utf8("a") + der.utf8("b"), "no UTF-8": b"\x0c\2\xc3\x28",
        "printable": b"\x13\x017"}

    def make_receipt(self):
        purchases = [self.purchase() for _ in range(self.random.randrange(1, 4))]
        app = self.app()
        how = self.take("receipt", ["whole", "value of the app", "value", "value", "twice", "type", "date", "kind", "no purchase"])
        facts, label = self.facts_of_purchases(purchases), how
        if how == "value of the app":
            at = self.take("app attribute", range(len(app)))
            value = self.take(f"app value {at}", list(self.DER_VALUES))
            label, facts = f"app value {app[at][0]} {value}", None
            app[at:at + 1] = [] if self.DER_VALUES[value] is None else [(app[at][0], self.DER_VALUES[value])]
        elif how == "value":
            at = self.take("purchase attribute", range(len(purchases[0])))
            value = self.take(f"purchase value {at}", list(self.DER_VALUES))
            label, facts = f"value {purchases[0][at][0]} {value}", None
            kind = purchases[0][at][0]
            purchases[0][at:at + 1] = [] if self.DER_VALUES[value] is None else [(kind, self.DER_VALUES[value])]
        elif how == "twice":
            at = self.take("purchase twice", range(len(purchases[0])))
            kind = purchases[0][at][0]
            purchases[0].insert(self.random.choice([0, len(purchases[0])]), (kind, der.utf8("other")))
            label, facts = f"twice {kind}", facts[1:] if kind not in (1707, 1712, 1719) else facts
        elif how == "type":
            kind = self.take("type", ["Production", "ProductionVPP", "ProductionVPPSandbox", "Xcode", "ProductionFuture"])
            app[0], label = (0, der.utf8(kind)), f"type {kind}"
        elif how == "date":
            start = self.moment()[:-1]
            text = self.take("date", ["a while ago", start + "+0000", start + ".25Z", self.moment(-3650), self.moment(3650)])
            is_outside = text.endswith("Z") and "." not in text
            app[5], label = (12, der.ia5(text)), "date outside" if is_outside else "date in another form"
        elif how == "kind":
            kind = self.take("kind", range(6))
            purchases[0] = [(each, der.integer(kind) if each == 1707 else value) for each, value in purchases[0]]
            label = f"kind {kind}"
        elif how == "no purchase":
            purchases, facts = [], []
        return Mutant("receipt", label, "signed", self.receipt(self.content(app, purchases)), facts)

    def make_container(self):
        purchases = [self.purchase()]
        content, ours = self.content(self.app(), purchases), self.ours
        facts, chain, key = self.facts_of_purchases(purchases), ours.receipt_chain, ours.receipt_key
        label = self.take("container", [
            "sha1", "sha384", "sha512", "algorithm with digest", "algorithm of another digest", "attributes", "no digest listed",
            "two digests listed", "another digest listed", "version 3", "version 4", "key identifier", "two signers",
            "a stranger beside", "no signer", "root first", "no root", "another certificate", "ecdsa", "ecdsa p384", "bytes behind",
            "no certificates", "md5 named", "chain of texts"])
        truth, signer, options = "signed", {}, {}
        if label in ("sha1", "sha384", "sha512"):
            signer, options = {"digest": label}, {"digests": [label]}
        elif label == "algorithm with digest":
            signer = {"algorithm": self.RSA_NAMES["sha256"]}
        elif label == "algorithm of another digest":
            signer = {"algorithm": self.RSA_NAMES["sha1"]}
        elif label == "attributes":
            signer = {"attributes": True}
        elif label.endswith("listed"):
            listed = {"no digest listed": [], "two digests listed": ["sha1", "sha256"], "another digest listed": ["sha1"]}
            options = {"digests": listed[label]}
        elif label.startswith("version"):
            options = {"version": int(label[-1])}
        elif label == "key identifier":
            signer = {"by_key": True}
        elif label == "root first":
            chain = chain[::-1]
        elif label == "bytes behind":
            options, truth = {"behind": b"\0"}, "damaged"
        elif label.startswith("ecdsa"):
            key = ec.generate_private_key(ec.SECP384R1() if label.endswith("p384") else ec.SECP256R1())
            recipe = ours.receipt_recipe("leaf")
            recipe.key = key
            chain = [recipe.encoded()] + chain[1:]
        certificates = {
            "no root": chain[:2], "another certificate": chain + [ours.leaf], "no certificates": []}.get(label, chain)
        leaf_first = chain if label != "root first" else ours.receipt_chain
        if label == "chain of texts":
            certificates = leaf_first = ours.chain
            key = ours.leaf_key
        signers = [self.signer(content, leaf_first, key, **signer)]
        if label == "two signers":
            signers *= 2
        elif label == "a stranger beside":
            theirs = self.stranger
            signers.insert(self.random.randrange(2), self.signer(content, theirs.receipt_chain, theirs.receipt_key))
            certificates = certificates + theirs.receipt_chain
        elif label == "no signer":
            signers, truth = [], "forged"
        elif label == "md5 named":
            signers = [signers[0].replace(der.oid(self.DIGESTS["sha256"]), der.oid(self.DIGESTS["md5"]), 1)]
            truth = "damaged"
        return Mutant("receipt", "container " + label, truth, self.container(content, certificates, signers, **options), facts)

    def make_receipt_chain(self):
        purchases = [self.purchase()]
        content, ours = self.content(self.app(), purchases), self.ours
        facts = self.facts_of_purchases(purchases)
        how = self.take("receipt chain", ["leaf", "intermediate", "root", "stranger"])
        if how == "stranger":
            theirs = self.stranger
            label = self.take(
                "stranger of receipts", ["whole", "with our root", "our chain, their key", "our intermediate", "both chains"])
            chain = {
                "whole": theirs.receipt_chain, "with our root": theirs.receipt_chain[:2] + [ours.receipt_root],
                "our chain, their key": ours.receipt_chain, "our intermediate": theirs.receipt_chain[:1] + ours.receipt_chain[1:],
                "both chains": theirs.receipt_chain + ours.receipt_chain}[label]
            signers = [self.signer(content, chain, theirs.receipt_key)]
            return Mutant("receipt", "stranger " + label, "forged", self.container(content, chain, signers), [])
        if how == "root":
            label, root, truth = self.root_in_place(ours, ours.receipt_root, ours.receipt_root_key, ours.receipt_recipe)
            return Mutant("receipt", "root " + label, truth, self.receipt(content, ours.receipt_chain[:2] + [root]), facts)
        recipe = ours.receipt_recipe(how)
        label, truth = self.profile(recipe)
        # A receipt's certificates aren't signed with it.
        truth = "damaged" if recipe.finish else truth
        chain = list(ours.receipt_chain)
        chain[0 if how == "leaf" else 1] = recipe.encoded()
        text = self.receipt(content, ours.receipt_chain)
        if recipe.finish is None or label != "bytes behind":
            signers = [self.signer(content, ours.receipt_chain if recipe.finish else chain, ours.receipt_key)]
            text = self.container(content, chain, signers)
        return Mutant("receipt", f"{how} {label}", truth, text, facts if truth != "forged" else [])

    def make_receipt_damage(self):
        purchases = [self.purchase()]
        content = self.content(self.app(), purchases)
        text = self.receipt(content)
        facts = self.facts_of_purchases(purchases)
        whole = bytearray(base64.b64decode(text))
        label = self.take("receipt damage", [
            "bit", "bit", "bit", "bit of the content", "bit of a certificate", "bit of the signature", "cut", "swapped content",
            "spaces", "url alphabet", "no padding", "encoded twice", "quoted", "object"])
        if label.startswith("bit"):
            start, end = 0, len(whole)
            if label == "bit of the content":
                start = whole.find(content)
                end = start + len(content)
            elif label == "bit of a certificate":
                certificate = self.random.choice(self.ours.receipt_chain)
                start = whole.find(certificate)
                end = start + len(certificate)
            elif label == "bit of the signature":
                start = end - 256
            whole[self.random.randrange(start, end)] ^= 1 << self.random.randrange(8)
            text = base64.b64encode(whole).decode()
        elif label == "cut":
            text = text[:self.random.randrange(len(text) - 1)]
        elif label == "swapped content":
            dear = [(kind, der.utf8("product.dear") if kind == 1702 else value) for kind, value in purchases[0]]
            other = self.content(self.app(), [dear])
            signers = [self.signer(content, self.ours.receipt_chain, self.ours.receipt_key)]
            text = self.container(other, self.ours.receipt_chain, signers)
        elif label == "spaces":
            text = text.replace("+", " ")
        elif label == "url alphabet":
            text = text.replace("+", "-").replace("/", "_")
        elif label == "no padding":
            text = text.rstrip("=")
        elif label == "encoded twice":
            text = base64.b64encode(text.encode()).decode()
        elif label == "quoted":
            text = f'"{text}"'
        else:
            text = json.dumps({"receipt-data": text})
        return Mutant("receipt", "damage " + label, "damaged", text, facts)
