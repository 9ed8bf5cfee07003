"""Measures of what a classifier said, in the definitions of polya's package eval.

Run as a program, it reads lines of a true class, a tab and a score, of which the
greatest scores are to be those of CLASS, and prints the area above the ROC curve in
percent, the misses at .1 % false positives and the least error that a cut-off can have:

    measures.py CLASS < SCORES
"""

import sys

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score, roc_curve

BINS = 15
EPSILON = 2.0**-52  # eval.Epsilon
FALSE_POSITIVES = 0.001


def macro_f1(truth, said):
    """Returns the mean of F1 over the classes that some document has or was said to have."""
    return f1_score(truth, said, average="macro", zero_division=0)


def log_loss(p):
    """Returns the mean of -log p in nats, p being the probability of the true class,
    kept within 2^-52 and 1 - 2^-52 (eval.ClippedLogLoss).

    >>> round(log_loss(np.array([.5, .25])), 6), round(log_loss(np.array([0.])), 2)
    (1.039721, 36.04)
    """
    return float(-np.log(np.clip(p, EPSILON, 1 - EPSILON)).mean())


def calibration_error(top, right):
    """Returns the expected calibration error in 15 bins of equal width: top is the
    probability of the predicted class, right whether it is the true one. A bin holds
    its upper bound, the first also 0.

    By hand: .9 and .9, one right, miss by .4; .6, right, by .4: all three by .4.

    >>> round(calibration_error(np.array([.9, .9, .6]), np.array([True, False, True])), 6)
    0.4
    >>> round(calibration_error(np.array([.2, .1, .1]), np.array([True, True, False])), 6)
    0.533333
    """
    bounds = np.arange(1, BINS) / BINS
    bins = np.searchsorted(bounds, top, side="left")
    gap = np.bincount(bins, weights=right.astype(float) - top, minlength=BINS)
    return float(np.abs(gap).sum() / len(top))


def roc_above(positive, score):
    """Returns the area above the ROC curve in percent; ties count half.

    >>> roc_above(np.array([True, True, False, False]), np.array([3., 1., 2., 1.]))
    37.5
    """
    return 100 * (1 - roc_auc_score(positive, score))


def missed(positive, score, false_positives=FALSE_POSITIVES):
    """Returns the least false-negative rate of a threshold, calling positive what is at
    or above it, whose false-positive rate is at most false_positives.

    >>> missed(np.array([True, True, False]), np.array([3., 1., 2.]))
    0.5
    >>> missed(np.array([True, True, False]), np.array([1., 1., 1.]))
    1.0
    """
    fpr, tpr, _ = roc_curve(positive, score, drop_intermediate=False)
    return float(1 - tpr[fpr <= false_positives].max())


def best_error(positive, score):
    """Returns the least error of a threshold, calling positive what is at or above it, and
    the highest threshold that has it. It is found on the answers themselves, so that it
    flatters.

    >>> best_error(np.array([True, True, False, False]), np.array([3., 1., 2., 0.]))
    (0.25, 3.0)
    """
    fpr, tpr, thresholds = roc_curve(positive, score, drop_intermediate=False)
    wrong = fpr * (~positive).sum() + (1 - tpr) * positive.sum()
    best = int(wrong.round().argmin())
    return round(wrong[best]) / len(positive), float(thresholds[best])


def main():
    lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
    positive = np.array([label == sys.argv[1] for label, _ in lines])
    score = np.array([float(s) for _, s in lines])
    rate = missed(positive, score)
    print(f"1-ROCA {roc_above(positive, score):.3f} %, FNR at FPR ≤ .1 % {100 * rate:.1f} %")
    error, cutoff = best_error(positive, score)
    print(f"best cut-off, chosen on these documents, {cutoff:.6f}: error {100 * error:.2f} %")


if __name__ == "__main__":
    main()
