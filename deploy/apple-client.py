# SPDX-License-Identifier: Apache-2.0
"""Makes every call of Apple's library for Python to a simulated App Store: apple-client.py PROGRAM

PROGRAM is counterfoil-dev. deploy/apple-client installs the library and runs this.
"""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
import warnings
from base64 import urlsafe_b64decode

import attr
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.AppTransaction import AppTransaction
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.JWSRenewalInfoDecodedPayload import JWSRenewalInfoDecodedPayload
from appstoreserverlibrary.models.JWSTransactionDecodedPayload import JWSTransactionDecodedPayload
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.ResponseBodyV2DecodedPayload import ResponseBodyV2DecodedPayload
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

BUNDLE = "com.example.app"
APPLE_ID = 1_234_567_890
DAY = 86_400

# Apple signs these, and its library is older than they are.
UNKNOWN_FIELDS = {"multiSeatInfo", "additionalTransactionReason", "renewalQuantity", "requestDate"}
UNKNOWN_SUBTYPES = {"SEATS", "INCREASE_QUANTITY", "DECREASE_QUANTITY"}


class Wrong(Exception):
    """An answer isn't what Apple's library expects."""


def check(condition, what):
    if not condition:
        raise Wrong(what)


def check_fields(content, model):
    """Fields that a model of Apple's lacks."""
    unknown = set(content) - {field.name for field in attr.fields(model)} - UNKNOWN_FIELDS
    check(not unknown, f"{model.__name__} has no {', '.join(sorted(unknown))}")


def payload(text):
    part = text.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Simulator:
    """`counterfoil-dev simulator`, and the calls that steer it."""

    def __init__(self, program, folder):
        self.folder = folder
        self.process = subprocess.Popen([program, "simulator", "--folder", folder], stdout=subprocess.PIPE, text=True)
        guide = ""
        while not (found := re.search(r"SERVER_API_PRODUCTION_URL=(\S+)\n.*SERVER_API_SANDBOX_URL=(\S+)\n", guide, re.S)):
            line = self.process.stdout.readline()
            check(line, "the simulator ended before it listened")
            guide += line
        self.urls = {Environment.PRODUCTION: found.group(1), Environment.SANDBOX: found.group(2)}
        self.tls_authority = os.path.join(folder, "tls-ca.pem")
        self.tls = ssl.create_default_context(cafile=self.tls_authority)
        with open(os.path.join(folder, "default.server-api-key"), encoding="utf-8") as file:
            self.key = json.load(file)
        with open(os.path.join(folder, "signing-root.der"), "rb") as file:
            self.root = file.read()

    def steer(self, call, method="POST", **body):
        url = f"{self.urls[Environment.PRODUCTION]}/simulator/{call}"
        request = urllib.request.Request(url, json.dumps(body).encode(), method=method)
        with urllib.request.urlopen(request, context=self.tls, timeout=30) as answer:
            return json.load(answer)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Client(AppStoreServerAPIClient):
    """Apple's client, which calls the simulator in place of Apple and looks at what its models would pass over."""

    def __init__(self, simulator, environment):
        key = simulator.key
        super().__init__(key["private_key"].encode(), key["key_id"], key["issuer_id"], BUNDLE, environment)
        self.url = simulator.urls[environment]

    def _get_full_url(self, path):
        return self.url + path

    def _parse_response(self, status_code, headers, json_supplier, destination_class):
        if 200 <= status_code < 300 and destination_class is not None:
            check_fields(json_supplier(), destination_class)
        return super()._parse_response(status_code, headers, json_supplier, destination_class)


def moment(days):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + days * DAY))


class Trial:
    """All calls in one environment."""

    def __init__(self, simulator, environment, table):
        self.simulator = simulator
        self.environment = environment
        self.table = table
        self.client = Client(simulator, environment)
        self.verifier = SignedDataVerifier([simulator.root], False, environment, BUNDLE, APPLE_ID)
        self.verified = 0
        self.name = environment.value.lower()

    def row(self, name, call):
        """Makes a call, and writes a line of the table."""
        self.verified = 0
        failed = None
        try:
            told = call()
        except Wrong as error:
            failed = str(error)
        except VerificationException as error:
            failed = f"not verified: {error.status.name}"
        except APIException as error:
            failed = f"HTTP {error.http_status_code} {error.raw_api_error or ''} {error.error_message or ''}"
        except Exception as error:  # Whatever Apple's library throws is a finding.
            failed = f"{type(error).__name__}: {error}"
        self.table.append((self.name, name, self.verified, failed is None, failed or told or ""))

    # Signatures

    def transaction(self, text):
        decoded = self.verifier.verify_and_decode_signed_transaction(text)
        check_fields(payload(text), JWSTransactionDecodedPayload)
        self.verified += 1
        return decoded

    def renewal(self, text):
        decoded = self.verifier.verify_and_decode_renewal_info(text)
        check_fields(payload(text), JWSRenewalInfoDecodedPayload)
        self.verified += 1
        return decoded

    def notification(self, text):
        decoded = self.verifier.verify_and_decode_notification(text)
        check_fields(payload(text), ResponseBodyV2DecodedPayload)
        self.verified += 1
        check(decoded.notificationType, f"type {decoded.rawNotificationType}")
        check(
            decoded.subtype or decoded.rawSubtype is None or decoded.rawSubtype in UNKNOWN_SUBTYPES,
            f"subtype {decoded.rawSubtype}")
        if decoded.data:
            check_fields(payload(text)["data"], type(decoded.data))
            if decoded.data.signedTransactionInfo:
                bought = self.transaction(decoded.data.signedTransactionInfo)
                if decoded.data.signedRenewalInfo:
                    renewal = self.renewal(decoded.data.signedRenewalInfo)
                    check(renewal.originalTransactionId == bought.originalTransactionId, "two subscriptions in one notification")
                    check(decoded.data.status, f"status {decoded.data.rawStatus}")
        return decoded

    # What there is to ask about

    def buy(self, **facts):
        facts = {"bundleId": BUNDLE, "environment": self.name, "purchaseDate": moment(-1)} | facts
        return self.simulator.steer("transactions", **facts)["transactionId"]

    def subscribe(self, **facts):
        facts = {"bundleId": BUNDLE, "environment": self.name, "productId": "plus"} | facts
        return self.simulator.steer("subscriptions", **facts)["originalTransactionId"]

    def befall(self, original, event, **facts):
        return self.simulator.steer(f"subscriptions/{original}", event=event, **facts)

    def prepare(self):
        self.customer = "70" + str(uuid.uuid4().int)[:16]
        self.coins = [
            self.buy(productId="coins", appTransactionId=self.customer, appAccountToken=str(uuid.uuid4())) for _ in range(24)]
        self.refunded = self.coins[3]
        self.buy(
            productId="coins", transactionId=self.refunded, appTransactionId=self.customer, revocationDate=moment(0),
            revocationType="REFUND_PRORATED", revocationPercentage=40_000)
        self.order = "M" + self.customer[:11]
        self.simulator.steer(f"orders/{self.order}", "PUT", transactionIds=self.coins[:2])
        self.plus = self.subscribe(
            level=2, appTransactionId=self.customer, appAccountToken=str(uuid.uuid4()), date=moment(-40),
            offer={"type": 1, "discountType": "FREE_TRIAL", "period": "P1W", "days": 7})
        for event, facts in [
            ("renew", {"date": moment(-33.5)}), ("renew", {"date": moment(-3)}),
            ("change", {"plan": {"productId": "gold", "level": 1}, "date": moment(-2)}),
            ("change", {"plan": {"productId": "basic", "level": 3}, "date": moment(-1.9)}),
            ("change", {"plan": {"productId": "gold", "level": 1}, "date": moment(-1.8)}),
            ("askForRefund", {"reason": "UNINTENDED_PURCHASE", "date": moment(-1.7)}), ("declineRefund", {"date": moment(-1.6)}),
            ("announcePriceIncrease", {"price": 12_990, "date": moment(-1.5)}), ("agreeToPriceIncrease", {"date": moment(-1.4)}),
            ("refund", {"part": 30_000, "date": moment(-1.3)}), ("reverseRefund", {"date": moment(-1.2)}),
            ("redeem", {
                "offer": {"type": 3, "identifier": "AUTUMN", "discountType": "PAY_AS_YOU_GO", "period": "P1M", "price": 990},
                "date": moment(-1.1)}),
        ]:
            self.befall(self.plus, event, **facts)
        self.lapsed = self.subscribe(appTransactionId=self.customer, date=moment(-40))
        for event, facts in [
            ("failToRenew", {"days": 6, "date": moment(-10)}), ("endGrace", {"date": moment(-4)}),
            ("recover", {"date": moment(-3)}),
            ("turnRenewalOff", {"date": moment(-2)}), ("turnRenewalOn", {"date": moment(-1.5)}), ("refund", {"date": moment(-1)}),
            ("resubscribe", {"plan": {"productId": "year", "payments": 12}, "date": moment(-0.5)}),
        ]:
            self.befall(self.lapsed, event, **facts)
        self.ended = self.subscribe(appTransactionId=self.customer, date=moment(-40))
        self.befall(self.ended, "turnRenewalOff", date=moment(-20))
        self.befall(self.ended, "expire", date=moment(-10))
        self.seats = self.subscribe(appTransactionId=self.customer, seats=10, date=moment(-5))
        for event, count in [("addSeats", 5), ("dropSeats", 3), ("refundSeats", 2)]:
            self.befall(self.seats, event, count=count, date=moment(-4))
        member = self.simulator.steer(f"subscriptions/{self.plus}/members", date=moment(-0.9))["originalTransactionId"]
        self.befall(member, "revoke", date=moment(-0.8))
        self.member = member

    # Calls

    def run(self):
        self.prepare()
        client = self.client
        coin = self.coins[0]

        def info():
            decoded = self.transaction(client.get_transaction_info(coin).signedTransactionInfo)
            check(decoded.transactionId == coin and decoded.rawInAppOwnershipType == "PURCHASED", "another transaction")
            return f"{decoded.productId}, {decoded.price} {decoded.currency}"

        self.row("Get Transaction Info", info)

        def history(version, **facts):
            shown, revision = [], None
            while True:
                page = client.get_transaction_history(coin, revision, TransactionHistoryRequest(**facts), version)
                check(page.environment == self.environment and page.bundleId == BUNDLE, "another app")
                shown += [self.transaction(text) for text in page.signedTransactions]
                revision = page.revision
                if not page.hasMore:
                    return shown

        everything = {
            "sort": Order.DESCENDING, "startDate": int((time.time() - 60 * DAY) * 1000), "endDate": int(time.time() * 1000)}
        self.row("Get Transaction History", lambda: f"{len(history(GetTransactionHistoryVersion.V2, **everything))} transactions")
        for revoked, expected in [(True, lambda count: count >= 1), (False, lambda count: count >= 24)]:
            def revoked_history(revoked=revoked, expected=expected):
                shown = history(GetTransactionHistoryVersion.V2, revoked=revoked)
                check(expected(len(shown)), f"{len(shown)} transactions")
                check(all((one.revocationDate is not None) == revoked for one in shown), "the filter isn't heeded")
                return f"{len(shown)} transactions"
            self.row(f"Get Transaction History, revoked={revoked}", revoked_history)

        def filtered():
            shown = history(
                GetTransactionHistoryVersion.V2, productTypes=[ProductType.CONSUMABLE], productIds=["coins"],
                inAppOwnershipType=InAppOwnershipType.PURCHASED)
            check(len(shown) == 24, f"{len(shown)} transactions")
            return f"{len(shown)} transactions"

        self.row("Get Transaction History, filtered", filtered)

        def finish():
            client.finish_transaction(coin)
            v1 = {one.transactionId for one in history(GetTransactionHistoryVersion.V1, productIds=["coins"])}
            v2 = {one.transactionId for one in history(GetTransactionHistoryVersion.V2, productIds=["coins"])}
            check(v2 - v1 == {coin}, "the first version shows what was finished")

        self.row("Finish Transaction; Get Transaction History V1", finish)

        def statuses(wanted=None):
            answer = client.get_all_subscription_statuses(self.plus, wanted)
            check(answer.environment == self.environment, "another environment")
            shown = {}
            for group in answer.data:
                for last in group.lastTransactions:
                    check(last.status, f"status {last.rawStatus}")
                    bought, renewal = self.transaction(last.signedTransactionInfo), self.renewal(last.signedRenewalInfo)
                    check(bought.originalTransactionId == renewal.originalTransactionId == last.originalTransactionId, "mixed up")
                    check(renewal.autoRenewStatus is not None, "no autoRenewStatus")
                    shown[last.originalTransactionId] = last.status
            return shown

        def all_statuses():
            shown = statuses()
            expected = {self.plus: Status.ACTIVE, self.lapsed: Status.ACTIVE, self.ended: Status.EXPIRED, self.seats: Status.ACTIVE}
            check(shown == expected, f"{shown}")
            check(set(statuses([Status.EXPIRED, Status.REVOKED])) == {self.ended}, "the filter isn't heeded")
            return ", ".join(sorted(status.name.lower() for status in shown.values()))

        self.row("Get All Subscription Statuses", all_statuses)

        def refunds():
            page = client.get_refund_history(coin, None)
            shown = [self.transaction(text) for text in page.signedTransactions]
            check(self.refunded in [one.transactionId for one in shown], "the refund is missing")
            check(all(one.revocationDate and one.revocationType for one in shown), "no refund")
            return f"{len(shown)} transactions"

        self.row("Get Refund History", refunds)

        def order():
            answer = client.look_up_order_id(self.order)
            shown = [self.transaction(text) for text in answer.signedTransactions]
            check({one.transactionId for one in shown} == set(self.coins[:2]), "other transactions")
            return f"{len(shown)} transactions"

        if self.environment == Environment.PRODUCTION:
            self.row("Look Up Order ID", order)
        else:
            self.refused("Look Up Order ID, in the sandbox", 404, None, lambda: client.look_up_order_id(self.order))

        def app_transaction():
            text = client.get_app_transaction_info(coin).signedAppTransactionInfo
            decoded = self.verifier.verify_and_decode_app_transaction(text)
            check_fields(payload(text), AppTransaction)
            self.verified += 1
            check(decoded.appTransactionId == self.customer and decoded.originalPlatform, "another customer")

        self.row("Get App Transaction Info", app_transaction)

        def token():
            wanted = str(uuid.uuid4())
            client.set_app_account_token(self.coins[5], UpdateAppAccountTokenRequest(appAccountToken=wanted))
            decoded = self.transaction(client.get_transaction_info(self.coins[5]).signedTransactionInfo)
            check(decoded.appAccountToken == wanted, "the token isn't set")

        self.row("Set App Account Token", token)

        self.row("Send Consumption Information", lambda: client.send_consumption_information(coin, ConsumptionRequest(
            customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.row("Send Consumption Information V1", lambda: client.send_consumption_data(coin, ConsumptionRequestV1(
                customerConsented=True, sampleContentProvided=False, appAccountToken="",
                deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY)))

        def extended():
            answer = client.extend_subscription_renewal_date(self.plus, ExtendRenewalDateRequest(
                extendByDays=5, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier=str(uuid.uuid4())))
            check(answer.success and answer.originalTransactionId == self.plus and answer.webOrderLineItemId, "not extended")
            return moment(answer.effectiveDate / 1000 / DAY - time.time() / DAY)

        self.row("Extend a Subscription Renewal Date", extended)

        def extended_for_all():
            request = str(uuid.uuid4())
            client.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
                extendByDays=5, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier=request, productId="plus"))
            status = client.get_status_of_subscription_renewal_date_extensions(request, "plus")
            check(status.complete and status.requestIdentifier == request and status.succeededCount >= 1, f"{status}")
            return f"{status.succeededCount} succeeded, {status.failedCount} failed"

        self.row("Extend Subscription Renewal Dates; its status", extended_for_all)

        def notifications():
            words, page_token = set(), None
            request = NotificationHistoryRequest(
                startDate=int((time.time() - 29 * DAY) * 1000), endDate=int((time.time() + 60) * 1000))
            while True:
                page = client.get_notification_history(page_token, request)
                for item in page.notificationHistory:
                    decoded = self.notification(item.signedPayload)
                    check(item.sendAttempts and item.sendAttempts[0].sendAttemptResult, "no try to send it")
                    words.add((decoded.rawNotificationType, decoded.rawSubtype))
                page_token = page.paginationToken
                if not page.hasMore:
                    break
            check(len(words) >= 22, f"only {sorted(map(str, words))}")
            return f"{len(words)} types and subtypes"

        self.row("Get Notification History", notifications)

        def filtered_notifications():
            page = client.get_notification_history(None, NotificationHistoryRequest(
                startDate=int((time.time() - 29 * DAY) * 1000), endDate=int((time.time() + 60) * 1000),
                notificationType=NotificationTypeV2.DID_RENEW, onlyFailures=False))
            shown = {self.notification(item.signedPayload).notificationType for item in page.notificationHistory}
            check(shown == {NotificationTypeV2.DID_RENEW}, f"{shown}")

        self.row("Get Notification History, filtered", filtered_notifications)

        def test_notification():
            answer = client.get_test_notification_status(client.request_test_notification().testNotificationToken)
            decoded = self.notification(answer.signedPayload)
            check(decoded.notificationType == NotificationTypeV2.TEST, f"{decoded.rawNotificationType}")
            check(answer.sendAttempts[0].sendAttemptResult, "no try to send it")

        self.row("Request a Test Notification; its status", test_notification)

        def receipt():
            made = self.simulator.steer("receipts", bundleId=BUNDLE, environment=self.name, inApp=[{"productId": "coins"}])
            check(ReceiptUtility().extract_transaction_id_from_app_receipt(made["receipt"]) in made["transactionIds"], "another id")

        self.row("An app receipt, read by the library", receipt)

        def next_leaf():
            before = client.get_transaction_info(coin).signedTransactionInfo
            self.simulator.steer("signing-leaf")
            after = client.get_transaction_info(coin).signedTransactionInfo
            check(before.split(".")[0] != after.split(".")[0], "the certificate is the same")
            self.transaction(before)
            self.transaction(after)
            return f"{len(after)} characters"

        self.row("Get Transaction Info, by a new certificate", next_leaf)

        self.refused("an unknown transaction", 404, 4_040_010, lambda: client.get_transaction_info("1"))
        self.refused("a transaction id of another form", 400, 4_000_006, lambda: client.get_transaction_info("x"))
        self.refused("a customer as a transaction", 400, 4_000_048, lambda: client.get_transaction_info(self.customer))
        self.refused("a token for a member of the family", 400, 4_000_185, lambda: client.set_app_account_token(
            self.member, UpdateAppAccountTokenRequest(appAccountToken=str(uuid.uuid4()))))
        self.refused("an extension of what has ended", 403, 4_030_004, lambda: client.extend_subscription_renewal_date(
            self.ended, ExtendRenewalDateRequest(
                extendByDays=5, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier=str(uuid.uuid4()))))
        self.refused("an unknown extension", 404, 4_040_009, lambda: client.get_status_of_subscription_renewal_date_extensions(
            str(uuid.uuid4()), "plus"))
        days = 181 if self.environment == Environment.PRODUCTION else 31
        self.refused(f"notifications of {days} days ago", 400, 4_000_012, lambda: client.get_notification_history(
            None, NotificationHistoryRequest(
                startDate=int((time.time() - days * DAY) * 1000), endDate=int(time.time() * 1000))))

    def refused(self, name, status, code, call):
        """A call that has to be answered with this error, one that Apple's library knows."""
        def expect():
            try:
                call()
            except APIException as error:
                answered = (error.http_status_code, error.raw_api_error)
                check(answered == (status, code), f"{answered}")
                check(code is None or error.api_error is not None, f"Apple's library doesn't know {code}")
                return f"HTTP {status}" + (f", {error.api_error.name}" if error.api_error else "")
            raise Wrong("it isn't refused")
        self.row(f"Refused: {name}", expect)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = []
    with tempfile.TemporaryDirectory(prefix="counterfoil-apple-client-") as folder:
        simulator = Simulator(sys.argv[1], folder)
        try:
            os.environ["REQUESTS_CA_BUNDLE"] = simulator.tls_authority
            # Nothing is sent there: the history has what would have been.
            simulator.steer("apps", bundleId=BUNDLE, appleId=APPLE_ID, notificationURL="https://shop.example")
            for environment in [Environment.PRODUCTION, Environment.SANDBOX]:
                Trial(simulator, environment, table).run()
        finally:
            simulator.stop()
    for where, name, verified, is_right, told in table:
        print(f"{'ok    ' if is_right else 'WRONG '} {where:<11} {name:<52} {verified:>4} signatures  {told}")
    wrong = sum(not is_right for _, _, _, is_right, _ in table)
    print(f"{len(table)} calls, {sum(row[2] for row in table)} signatures verified, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
