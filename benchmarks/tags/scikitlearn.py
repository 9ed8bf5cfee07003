"""One-versus-rest of scikit-learn over several tags per document.

    scikitlearn.py < {"train": [{"path", "tags"}], "test": [{"path"}]}

Writes for each model an object with its name, CPU seconds and, by test document, its tags.
"""

import json
import sys
import time
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

corpus = json.load(sys.stdin)


def texts(part):
    return [Path(d["path"]).read_bytes().decode("latin-1") for d in corpus[part]]


learned, asked = texts("train"), texts("test")
names = MultiLabelBinarizer()
labels = names.fit_transform([d["tags"] or [] for d in corpus["train"]])
for name, vectorizer, model in (
    ("ComplementNB, counts", CountVectorizer(), ComplementNB()),
    ("ComplementNB, tf-idf", TfidfVectorizer(), ComplementNB()),
    ("ComplementNB, tf-idf, log, stop words", TfidfVectorizer(sublinear_tf=True, stop_words="english"), ComplementNB()),
    ("LinearSVC, tf-idf", TfidfVectorizer(), LinearSVC()),
    ("LinearSVC, tf-idf, log, stop words", TfidfVectorizer(sublinear_tf=True, stop_words="english"), LinearSVC()),
):
    begun = time.process_time()
    rest = OneVsRestClassifier(model).fit(vectorizer.fit_transform(learned), labels)
    taught = time.process_time()
    tags = names.inverse_transform(rest.predict(vectorizer.transform(asked)))
    print(json.dumps({"Name": name, "Learn": taught - begun, "Answer": time.process_time() - taught, "Tags": tags}), flush=True)
