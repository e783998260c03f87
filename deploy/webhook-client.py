# SPDX-License-Identifier: Apache-2.0
"""Receives webhooks of a worker, and verifies each by the libraries of others: webhook-client.py PROGRAM

PROGRAM is counterfoil. deploy/webhook-client installs the libraries and runs this.
"""

import base64
import contextlib
import glob
import http.server
import json
import os
import pwd
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import standardwebhooks
import svix

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docs", "webhooks.md")
PATIENCE = 30
SHOP = """
insert into counterfoil.apps (bundle_id) values ('com.example.game');
create function buy(id text) returns void language sql as $$
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
    values (id, 'com.example.game', 'coins', 'ä "quoted" account / ' || id);
    update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = id
$$;
"""


class Wrong(Exception):
    """A library and we disagree."""


def secret():
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def the_pages_receiver(folder, goods):
    """The function of docs/webhooks.md, as it stands there."""
    code = re.search(r"```python\n(.*?)```", open(PAGE, encoding="utf-8").read(), re.S).group(1)
    seen = set()

    class Database:
        transaction = staticmethod(contextlib.nullcontext)

    def remember(event):
        return not (event in seen or seen.add(event))

    names = {"database": Database, "remember": remember, "deliver": lambda data: goods.append(data["order_id"])}
    exec(compile(code.replace("'shop.webhook-secret'", repr(folder + "/page.webhook-secret")), PAGE, "exec"), names)
    return names["receive"]


class Receiver:
    """Keeps what comes, and has each library verify it."""

    def __init__(self, folder):
        self.calls, self.secrets, self.faults = [], [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                try:
                    outer.verify(headers, body)
                except Exception as error:
                    outer.faults.append(f"{type(error).__name__}: {error}")
                outer.calls.append((headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/tls.pem", folder + "/tls.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def verify(self, headers, body):
        """Either library takes it by each secret, and takes nothing that was changed."""
        for text in self.secrets:
            for library in (standardwebhooks.Webhook, svix.Webhook):
                library(text).verify(body, headers)
                stranger = library(secret())
                late = dict(headers, **{"webhook-timestamp": str(int(headers["webhook-timestamp"]) - 3600)})
                other = dict(headers, **{"webhook-id": headers["webhook-id"] + "0"})
                for name, receiver, sent, content in (
                    ("another body", library(text), headers, body + b" "),
                    ("another time", library(text), late, body),
                    ("another id", library(text), other, body),
                    ("another secret", stranger, headers, body),
                ):
                    try:
                        receiver.verify(content, sent)
                    except (standardwebhooks.webhooks.WebhookVerificationError, svix.webhooks.WebhookVerificationError):
                        continue
                    raise Wrong(f"{library.__module__} takes {name}")

    def wait(self, count):
        deadline = time.monotonic() + PATIENCE
        while len(self.calls) < count:
            if time.monotonic() > deadline:
                raise Wrong(f"{len(self.calls)} events came, and not {count}")
            time.sleep(0.05)
        if self.faults:
            raise Wrong("; ".join(self.faults))


def as_server(command):
    """Postgres refuses to run as root."""
    return ["runuser", "-u", "postgres", "--"] + command if os.geteuid() == 0 else command


@contextlib.contextmanager
def private_postgres(folder):
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
    data = folder + "/data"
    os.mkdir(data)
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        for path in (folder, data):
            os.chown(path, user.pw_uid, user.pw_gid)
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run(as_server([programs + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]), **quiet)
    options = f"-c listen_addresses= -c fsync=off -k {folder}"
    subprocess.run(as_server([programs + "/pg_ctl", "-D", data, "-o", options, "-l", folder + "/log", "-w", "start"]), **quiet)
    try:
        yield lambda user: f"postgresql://{user}@/postgres?host={folder}"
    finally:
        subprocess.run(as_server([programs + "/pg_ctl", "-D", data, "-m", "immediate", "stop"]), **quiet)


def run(program, url, *arguments, **environment):
    variables = {"PATH": os.environ["PATH"], "COUNTERFOIL_DATABASE_URL": url, **environment}
    return subprocess.run([program, *arguments], env=variables, check=True, capture_output=True, text=True).stdout


def sql(url, text):
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", url, "-c", text], check=True, stdout=subprocess.DEVNULL)


def write(path, *lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def play(program, folder, url):
    run(program, url("postgres"), "migrate")
    sql(url("postgres"), SHOP)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=receiver", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/tls.key", "-out", folder + "/tls.pem"],
        check=True, stderr=subprocess.DEVNULL)
    receiver, first, second, goods = Receiver(folder), secret(), secret(), []
    credentials = folder + "/credentials"
    os.mkdir(credentials)
    write(credentials + "/shop.webhook-secret", first)
    write(folder + "/page.webhook-secret", first)
    receiver.secrets = [first]
    receive = the_pages_receiver(folder, goods)
    variables = {
        "PATH": os.environ["PATH"], "COUNTERFOIL_DATABASE_URL": url("counterfoil_worker"),
        "COUNTERFOIL_CREDENTIALS_DIRECTORY": credentials, "COUNTERFOIL_WEBHOOK_TLS_ROOTS": folder + "/tls.pem",
        "COUNTERFOIL_WEBHOOK_PRIVATE_NETWORKS": "127.0.0.0/8", "COUNTERFOIL_LOG_LEVEL": "warning",
    }
    worker = subprocess.Popen([program, "worker"], env=variables, stderr=sys.stderr)
    try:
        run(program, url("counterfoil_support"), "webhooks", "add", "shop", f"https://127.0.0.1:{receiver.port}/hooks")
        run(program, url("counterfoil_support"), "webhooks", "test", "shop")
        sql(url("postgres"), "select buy('order-' || n) from generate_series(1, 50) n")
        receiver.wait(51)
        for headers, body in receiver.calls:
            receive(headers, body)
        print(f"{len(receiver.calls)} events, signed by one secret: taken by standardwebhooks, svix and the page's receiver")

        write(credentials + "/shop.webhook-secret", first, second)
        receiver.secrets = [first, second]
        worker.send_signal(1)
        time.sleep(1)
        sql(url("postgres"), "select buy('order-' || n) from generate_series(51, 100) n")
        receiver.wait(101)
        print("50 events, signed by two secrets: taken by either")

        largest = max(len(body) for _, body in receiver.calls)
        types = sorted({json.loads(body)["type"] for _, body in receiver.calls})
        print(f"types: {', '.join(types)}; the largest body has {largest} bytes")
    finally:
        worker.terminate()
        worker.wait(30)


def main(program):
    folder = tempfile.mkdtemp(prefix="counterfoil-webhooks-")
    try:
        os.chmod(folder, 0o755)
        with private_postgres(folder) as url:
            play(os.path.abspath(program), folder, url)
    except Wrong as error:
        sys.exit(f"wrong: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}: {error.stderr or ''}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main(sys.argv[1])
