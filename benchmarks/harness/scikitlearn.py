"""scikit-learn beside polya: raw bytes as Latin-1, terms by CountVectorizer's defaults.

    answers         a line of JSON {model, train, test}, [{Class, Path}…]: learns, and for each
                    further line prints {Seconds, Classes}, answers for all of test
    tags            JSON {train, test}, [{Path, Tags}…]: one-versus-rest, a line a model
    accuracy        JSON {train, test}, [{Class, Path}…]: a list of name, accuracy in percent, log loss a classifier
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from sklearn import naive_bayes
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC


def texts(documents):
    return [Path(d["Path"]).read_bytes().decode("latin-1") for d in documents]


def answers():
    asked = json.loads(sys.stdin.readline())
    vectorizer, questions = CountVectorizer(), texts(asked["test"])
    bayes = getattr(naive_bayes, asked["model"])()
    bayes.fit(vectorizer.fit_transform(texts(asked["train"])), [d["Class"] for d in asked["train"]])
    print("learned", flush=True)
    for _ in sys.stdin:
        begun = time.process_time()
        said = bayes.predict(vectorizer.transform(questions)).tolist()
        print(json.dumps({"Seconds": time.process_time() - begun, "Classes": said}), flush=True)


def tags():
    asked = json.load(sys.stdin)
    learned, questions, names = texts(asked["train"]), texts(asked["test"]), MultiLabelBinarizer()
    labels = names.fit_transform([d["Tags"] or [] for d in asked["train"]])
    stop = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    for name, vectorizer, model in (
        ("ComplementNB, counts", CountVectorizer(), naive_bayes.ComplementNB()),
        ("ComplementNB, tf-idf", TfidfVectorizer(), naive_bayes.ComplementNB()),
        ("ComplementNB, tf-idf, log, stop words", stop, naive_bayes.ComplementNB()),
        ("LinearSVC, tf-idf", TfidfVectorizer(), LinearSVC()),
        ("LinearSVC, tf-idf, log, stop words", stop, LinearSVC()),
    ):
        begun = time.process_time()
        rest = OneVsRestClassifier(model).fit(vectorizer.fit_transform(learned), labels)
        taught = time.process_time()
        said = names.inverse_transform(rest.predict(vectorizer.transform(questions)))
        print(json.dumps({"Name": name, "Learn": taught - begun, "Answer": time.process_time() - taught, "Tags": said}), flush=True)


def accuracy():
    asked = json.load(sys.stdin)
    labels, truth = (np.array([d["Class"] for d in asked[part]]) for part in ("train", "test"))
    vectorizer, tfidf = CountVectorizer(), TfidfTransformer(sublinear_tf=True)
    counts = vectorizer.fit_transform(texts(asked["train"])), vectorizer.transform(texts(asked["test"]))
    kinds = {"counts": counts, "tf-idf": (tfidf.fit_transform(counts[0]), tfidf.transform(counts[1]))}
    peers = [(f"{make.__name__}, {kind}, {alpha}", kind, make(alpha=alpha)) for alpha in (1, 0.1, 0.01) for make, kind in (
        (naive_bayes.MultinomialNB, "counts"), (naive_bayes.ComplementNB, "counts"), (naive_bayes.BernoulliNB, "counts"),
        (naive_bayes.MultinomialNB, "tf-idf"), (naive_bayes.ComplementNB, "tf-idf"))]
    peers += [("LinearSVC, tf-idf, C=.5", "tf-idf", LinearSVC(C=0.5, random_state=0)),
              ("LogisticRegression, tf-idf, C=30", "tf-idf", LogisticRegression(C=30, max_iter=1000))]
    for name, kind, model in peers:
        model.fit(kinds[kind][0], labels)
        said, loss = model.predict(kinds[kind][1]), "–"
        if hasattr(model, "predict_proba"):
            p, index = model.predict_proba(kinds[kind][1]), {c: i for i, c in enumerate(model.classes_)}
            own = np.array([p[i, index[c]] if c in index else 0 for i, c in enumerate(truth)])
            loss = f"{-np.log(np.clip(own, 2**-52, 1)).mean():.4f}"
        print(json.dumps([name, f"{100 * (said == truth).mean():.2f}", loss]), flush=True)


if __name__ == "__main__":
    {f.__name__: f for f in (answers, tags, accuracy)}[sys.argv[1]](*sys.argv[2:])
