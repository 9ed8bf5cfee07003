"""Accuracy of scikit-learn's text classifiers on the documents that polya is tested on.

    peers.py CORPUS PROTOCOL [--text raw|mail|headers] [--only NAME] [--positive CLASS]

CORPUS is the directory of an unpacked corpus, PROTOCOL says what is trained and what is
tested: see corpora.py for both, and for --text. A table of one row per classifier goes to
standard output. --only takes the classifiers whose names hold NAME. Terms are those of
CountVectorizer() by its defaults (lower case, two or more letters, digits or
underscores), of the training documents only.

Scores of the two-class measures are log-odds from the joint log-likelihood (naive Bayes)
or the decision function, which go on ranking where probabilities have become 0 or 1. The
answers of all folds are pooled before they are measured.
"""

import argparse
import warnings
from collections import namedtuple
from functools import partial

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

import corpora
import measures

# Peer is a classifier: its features are "counts" or "tf-idf".
Peer = namedtuple("Peer", "name alpha features make")

# Answers are what one classifier said of documents: true and said class, probability of
# the true and of the said class (None if it has none), and log-odds of the second of two
# classes in alphabetical order (None if there are others).
Answers = namedtuple("Answers", "truth said p top odds")

ALPHAS = (1, 0.1, 0.01)


def peers():
    """Returns the classifiers in the order of the table."""
    listed = []
    for make, features in (
        (MultinomialNB, "counts"),
        (ComplementNB, "counts"),
        (BernoulliNB, "counts"),
        (MultinomialNB, "tf-idf"),
        (ComplementNB, "tf-idf"),
    ):
        for alpha in ALPHAS:
            listed.append(Peer(make.__name__, alpha, features, partial(make, alpha=alpha)))
    listed.append(Peer("LinearSVC C=.5", "", "tf-idf", partial(LinearSVC, C=0.5, random_state=0)))
    logistic = partial(LogisticRegression, C=30, max_iter=1000)
    listed.append(Peer("LogisticRegression C=30", "", "tf-idf", logistic))
    return listed


def features(train, test):
    """Returns the matrices of both kinds of features, for train and test texts."""
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(train), vectorizer.transform(test)
    tfidf = TfidfTransformer(sublinear_tf=True)
    weighted = tfidf.fit_transform(counts[0]), tfidf.transform(counts[1])
    return {"counts": counts, "tf-idf": weighted}


def answer(model, test, truth):
    """Returns the Answers of a fitted classifier."""
    classes = model.classes_
    if hasattr(model, "predict_joint_log_proba"):
        scores = model.predict_joint_log_proba(test)
    else:
        scores = model.decision_function(test)
        if scores.ndim == 1:  # of two classes: the log-odds of the second
            scores = np.column_stack((np.zeros_like(scores), scores))
    said = scores.argmax(axis=1)
    odds = scores[:, 1] - scores[:, 0] if len(classes) == 2 else None
    if not hasattr(model, "predict_proba"):
        return Answers(truth, classes[said], None, None, odds)
    posterior = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    index = {c: i for i, c in enumerate(classes)}
    # A class of which nothing was trained has probability 0.
    p = np.array([posterior[d, index[c]] if c in index else 0.0 for d, c in enumerate(truth)])
    return Answers(truth, classes[said], p, posterior.max(axis=1), odds)


def run(cuts, kind, chosen):
    """Returns, for each of the chosen classifiers, its answers to all cuts."""
    answers = [[] for _ in chosen]
    for train, test in cuts:
        labels, truth = [np.array([d.label for d in part]) for part in (train, test)]
        matrices = features(*[[corpora.text(d, kind) for d in part] for part in (train, test)])
        for peer, collected in zip(chosen, answers):
            trained, tested = matrices[peer.features]
            collected.append(answer(peer.make().fit(trained, labels), tested, truth))
    return [pool(collected) for collected in answers]


def pool(collected):
    """Returns the answers to several cuts as one."""
    return Answers(*[None if part[0] is None else np.concatenate(part) for part in zip(*collected)])


def row(peer, a, positive):
    """Returns the cells of a classifier's row."""
    right = a.said == a.truth
    rates = right.mean(), (~right).mean(), measures.macro_f1(a.truth, a.said)
    cells = [peer.name, peer.features, str(peer.alpha)] + [f"{100 * rate:.2f}" for rate in rates]
    if a.p is None:
        cells += ["-", "-"]
    else:
        error = measures.calibration_error(a.top, right)
        cells += [f"{measures.log_loss(a.p):.4f}", f"{error:.4f}"]
    if positive is None:
        return cells
    wanted = a.truth == positive
    odds = a.odds if positive == max(a.truth) else -a.odds
    cells += [f"{100 * (~right)[of].mean():.2f}" for of in (~wanted, wanted)]
    cells.append(f"{measures.roc_above(wanted, odds):.3f}")
    return cells + [f"{100 * measures.missed(wanted, odds):.1f}"]


def main():
    parser = argparse.ArgumentParser(description="accuracy of scikit-learn's text classifiers")
    parser.add_argument("corpus", help="directory of an unpacked corpus")
    parser.add_argument("protocol", choices=("parts", "halves", "folds", "dates"))
    parser.add_argument(
        "--text", default="raw", choices=("raw", "mail", "headers"), help="what is cut into terms"
    )
    parser.add_argument("--only", default="", metavar="NAME", help="those whose names hold NAME")
    parser.add_argument(
        "--positive", default="spam", metavar="CLASS", help="the class sought, of two"
    )
    args = parser.parse_args()
    warnings.simplefilter("error", ConvergenceWarning)

    chosen = [p for p in peers() if args.only in p.name]
    cuts = corpora.cuts(args.corpus, args.protocol)
    trained, tested = ({d.label for cut in cuts for d in cut[side]} for side in (0, 1))
    positive = args.positive if len(trained | tested) == 2 and args.positive in tested else None
    names = ["classifier", "features", "alpha", "accuracy %", "error %", "macro F1 %"]
    names += ["log loss", "ECE"]
    if positive is not None:
        names += ["FPR %", "FNR %", "1-ROCA %", "FNR % at FPR ≤ .1 %"]
    if len(cuts) == 1:
        print(f"trained {len(cuts[0][0])} documents of {len(trained)} classes, ", end="")
    else:
        print(f"{len(cuts)} folds, ", end="")
    print(f"tested {sum(len(cut[1]) for cut in cuts)} of {len(tested)} classes\n")
    print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for peer, answers in zip(chosen, run(cuts, args.text, chosen)):
        print("| " + " | ".join(row(peer, answers, positive)) + " |")


if __name__ == "__main__":
    main()
