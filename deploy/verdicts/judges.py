# SPDX-License-Identifier: Apache-2.0
"""The verifiers that are compared, each with one word for a text: accepts, person, no purchase, refuses; - where it has no way."""

import json
import logging
import os
import subprocess

from apple_purchase_receipt_verifier import Config, Verifier
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

from authority import BUNDLE


class Ours:
    """`counterfoil inspect --lines`, with the roots of this run as an operator's own."""

    WORDS = {"verified": "accepts", "odd": "person", "not_a_purchase": "no purchase", "refused": "refuses", "unknown": "unknown"}

    def __init__(self, program, roots):
        self.program, self.roots = program, roots

    def judge(self, texts_path):
        environment = {**os.environ, "COUNTERFOIL_EXTRA_ROOTS": ";".join(f"{root}={BUNDLE}" for root in self.roots)}
        command = [self.program, "inspect", texts_path, "--lines"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                verdict = json.loads(line)
                found = [(each["transaction_id"], each["product_id"]) for each in verdict["transactions"] or []]
                yield self.WORDS[verdict["verdict"]], verdict["reason"], found, verdict["line"]
        if process.returncode != 0:
            raise SystemExit(f"counterfoil inspect ended with {process.returncode}")


class Apples:
    """Apple's own library. It knows no receipts."""

    def __init__(self, roots):
        self.verifier = SignedDataVerifier(roots, False, Environment.SANDBOX, BUNDLE)

    def judge(self, form, text):
        verify = {
            "transaction": self.verifier.verify_and_decode_signed_transaction,
            "notification": self.verifier.verify_and_decode_notification,
            "renewal info": self.verifier.verify_and_decode_renewal_info,
            "app transaction": self.verifier.verify_and_decode_app_transaction}.get(form)
        if verify is None:
            return "-"
        try:
            verify(text)
        except VerificationException:
            return "refuses"
        except Exception:  # It raises whatever its decoder raises for a value of another type.
            return "raises"
        return "accepts"


class PyPIs:
    """apple-purchase-receipt-verifier: the signature and the chain, and no fact."""

    def __init__(self, roots):
        self.verifier = Verifier(Config(roots=roots))

    def judge(self, form, text):
        verify = self.verifier.verify_receipt if form == "receipt" else self.verifier.verify_signed_data
        try:
            return "accepts" if verify(text).verified else "refuses"
        except Exception:
            return "raises"


logging.disable(logging.CRITICAL)
