"""What the attributes of mail add to its words: polya eval with one after another.

    attributes.py POLYA TRAIN TEST

TRAIN and TEST are folders of folders, a class each (cut.sh makes them). Prints for
each choice of attributes, beside words alone, the accuracy and the log loss; of how
many documents the answer is right where words alone were wrong (+) and the reverse
(-); and how probable so uneven a split is by chance (McNemar's exact test, two-sided).
"""

import json
import math
import os
import subprocess
import sys
import tempfile

EACH = ["sender", "domain", "list", "to", "size", "hour", "weekday", "recipients", "attachments"]
TOGETHER = ["sender,list,size,hour,recipients", "mail"]
EPSILON = 2.0**-52  # eval.Epsilon


def answers(polya, train, test, attr):
    """Returns the answers by document: the true class, that answered, p(true class)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answers")
        subprocess.run(
            [polya, "eval", "--models", "auto", "--analyzer", "polya-4 attr=" + attr,
             "--train", train, "--test", test, "--answers", path],
            check=True, stdout=subprocess.DEVNULL)
        with open(path) as lines:
            given = [json.loads(line) for line in lines]
    return {a["document"]: (a["class"], a["answer"], a["posterior"].get(a["class"], 0)) for a in given}


def mcnemar(gained, lost):
    """Returns the two-sided probability of so uneven a split of gained + lost.

    >>> round(mcnemar(9, 1), 5)
    0.02148
    """
    n, most = gained + lost, max(gained, lost)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n)


def main(polya, train, test):
    words = None
    print("| attributes | accuracy % | log loss | + | - | by chance |\n| --- | --- | --- | --- | --- | --- |")
    for attr in ["off"] + EACH + TOGETHER:
        said = answers(polya, train, test, attr)
        right = {d: true == answer for d, (true, answer, _) in said.items()}
        loss = -sum(math.log(max(p, EPSILON)) for _, _, p in said.values()) / len(said)
        row = "| %s | %.2f | %.4f |" % (attr, 100 * sum(right.values()) / len(right), loss)
        if words is None:
            words = right
            print(row, "| | |")
            continue
        gained = sum(right[d] and not words[d] for d in right)
        lost = sum(words[d] and not right[d] for d in right)
        print(row, "%d | %d | %.2g |" % (gained, lost, mcnemar(gained, lost)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
