# SPDX-License-Identifier: Apache-2.0
"""Judges seeded mutants by three verifiers, and compares the verdicts with the table of explained kinds.

Ends with 1 if a forgery is verified, if a text is rejected that only Apple could have signed, unless the table says why, or if a
kind of difference is in no row of the table.
"""

import argparse
import collections
import csv
import datetime
import fnmatch
import pathlib
import random
import sys
import tempfile
import time

from judges import Apples, Ours, PyPIs
from mutants import Generator

HERE = pathlib.Path(__file__).parent


def explained(path):
    with open(path, newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return list(rows)


def is_difference(truth, ours, others):
    """Whether a verdict differs from the truth or from another verifier's."""
    if ours == "person":
        return True
    accepts = ours in ("accepts", "no purchase")
    if truth == "signed" and not accepts or truth == "forged" and accepts:
        return True
    return any(other not in ("-", "accepts" if accepts else "refuses") for other in others)


FIELDS = ("form", "truth", "mutation", "ours", "reason", "apple", "pypi")


def fits(row, kind):
    return all(any(fnmatch.fnmatchcase(value, each) for each in row[field].split("|")) for field, value in zip(FIELDS, kind))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="counterfoil")
    parser.add_argument("--count", type=int, default=28000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=HERE / "kinds.tsv", help="the table of explained kinds")
    options = parser.parse_args()
    started = time.monotonic()
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    generator = Generator(random.Random(options.seed), now)
    rows = explained(options.kinds)
    roots = [generator.ours.root, generator.ours.receipt_root]
    used, unexplained, faults, counts = collections.Counter(), {}, [], collections.Counter()

    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, f"root{number}.der") for number in range(len(roots))]
        for path, root in zip(paths, roots):
            path.write_bytes(root)
        texts, mutants = pathlib.Path(folder, "texts"), []
        with open(texts, "w") as file:
            for mutant in generator.mutants(options.count):
                file.write(mutant.text + "\n")
                mutants.append(mutant)
        apples, pypis = Apples(roots), PyPIs(roots)
        judged = 0
        for mutant, (ours, reason, found, line) in zip(mutants, Ours(options.program, paths).judge(texts)):
            judged += 1
            if line != judged:
                raise SystemExit(f"verdict {line} came where {judged} was due")
            others = [judge.judge(mutant.form, mutant.text) for judge in (apples, pypis)]
            counts[mutant.truth, ours] += 1
            kind = (mutant.form, mutant.truth, mutant.mutation, ours, reason or "-", *others)
            has_other_facts = mutant.facts is not None and sorted(found) != sorted(mutant.facts)
            if ours == "accepts" and (mutant.truth == "forged" or has_other_facts):
                faults.append(("a forgery is verified", line, kind, mutant.text))
            if not is_difference(mutant.truth, ours, others):
                continue
            row = next((number for number, each in enumerate(rows) if fits(each, kind)), None)
            if row is None:
                unexplained.setdefault(kind, []).append(line)
            else:
                used[row] += 1
        if judged != len(mutants):
            raise SystemExit(f"{judged} verdicts came for {len(mutants)} texts")

    print(f"{judged} texts, seed {options.seed}, {time.monotonic() - started:.0f} s")
    for (truth, ours), count in sorted(counts.items()):
        print(f"{count:6}  {truth:8} {ours}")
    print("explained differences:")
    for number, row in enumerate(rows):
        print(f"{used[number]:6}  {row['explanation']}")
    for text, line, kind, _ in faults:
        print(f"FAULT  {text}: text {line}, " + ", ".join(kind))
    for kind, lines in sorted(unexplained.items()):
        print(f"NEW    {len(lines)} times, first text {lines[0]}: " + "\t".join(kind))
    rejected = sum(len(lines) for kind, lines in unexplained.items() if kind[1] == "signed" and kind[3] == "refuses")
    print(f"{rejected} mutants that only Apple could have signed end rejected without a rule that says why")
    print(f"{len(faults)} forgeries verified, {len(unexplained)} new kinds")
    sys.exit(1 if faults or unexplained else 0)


if __name__ == "__main__":
    main()
