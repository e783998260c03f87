# SPDX-License-Identifier: Apache-2.0
"""What `counterfoil-dev up` runs, for scripts that play on it."""
import json, os, re, shlex, signal, ssl, subprocess, tempfile, time, urllib.request
from datetime import datetime, timedelta, timezone

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.abspath(os.environ.get("PROGRAMS", os.path.join(REPOSITORY, ".build/release")))
APP = "com.example.puzzle"


class Wrong(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Wrong(message)


def ago(seconds):
    return (datetime.now(timezone.utc) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def until(seconds, question):
    """Asks until the answer is true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(0.1)


class Installation:
    """What `counterfoil-dev up` runs: it prints where everything is."""

    def __init__(self):
        self.output = tempfile.NamedTemporaryFile("r", prefix="counterfoil-play-")
        self.process = subprocess.Popen([os.path.join(PROGRAMS, "counterfoil-dev"), "up"], cwd="/",
            stdout=open(self.output.name, "w"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)

    def read(self):
        def text():
            check(self.process.poll() is None, "counterfoil-dev up ended: " + open(self.output.name).read())
            answer = open(self.output.name).read()
            return "Everything keeps running" in answer and "The workers' logs" in answer and answer  # in any order
        up = until(300, text)
        check(up, "counterfoil-dev up isn't ready after five minutes")
        self.host, self.port, self.database = re.search(r"psql -h (\S+) -p (\d+) -d (\S+) -U counterfoil_backend", up).groups()
        self.authority, self.simulator = re.search(r"curl -s --cacert (\S+) (https://\S+/simulator)/$", up, re.M).groups()
        self.tls = ssl.create_default_context(cafile=self.authority)
        self.gateway, self.key, self.apple = re.search(r"its address for Apple:\n *(\S+)\n *(\S+)\n *(\S+)\n", up).groups()
        self.environment = re.search(r"^ *\. (\S+/environment)$", up, re.M).group(1)
        self.backend, self.address = re.search(r"(postgresql://counterfoil_backend:[^@\s]+@([^/\s]+)/\S+)", up).groups()

    def stop(self):
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(each)
                try:
                    self.process.wait(30)
                except subprocess.TimeoutExpired:
                    pass

    def sql(self, statement, database=None):
        """As the server's superuser: makes databases, and looks at the result."""
        return subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.host, "-p", self.port, "-U", "postgres",
            "-d", database or self.database, "-c", statement], check=True, capture_output=True, text=True, timeout=120).stdout.strip()

    def counterfoil(self, *words):
        """A command of an operator."""
        program = shlex.join([os.path.join(PROGRAMS, "counterfoil"), *words])
        return subprocess.run(["sh", "-c", f". {self.environment}; {program}"], cwd="/", capture_output=True, text=True, timeout=120)

    def post(self, call, method="POST", **body):
        request = urllib.request.Request(f"{self.simulator}/{call}", json.dumps(body).encode(), method=method)
        with urllib.request.urlopen(request, context=self.tls, timeout=120) as answer:
            return json.load(answer)

    def pay(self, product="coins.100", bundle=APP, **facts):
        """The customer pays: a signed transaction, and its id."""
        answer = self.post("transactions", bundleId=bundle, productId=product, **facts)
        return answer["signedTransaction"], answer["transactionId"]

    def receipt(self, *purchases, bundle=APP):
        answer = self.post("receipts", bundleId=bundle, inApp=list(purchases))
        return answer["receipt"], answer["transactionIds"]
