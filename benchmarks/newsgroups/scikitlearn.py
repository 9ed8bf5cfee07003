"""Naive Bayes of scikit-learn with its defaults, on raw bytes as Latin-1.

    scikitlearn.py MODEL CORPUS

Learns CORPUS/train, says so by a line, and for each line it is given answers for all of
CORPUS/test at once, in order of path: an object with the CPU seconds and the classes.
"""

import json
import sys
import time
from pathlib import Path

from sklearn import naive_bayes
from sklearn.feature_extraction.text import CountVectorizer

model, corpus = sys.argv[1], Path(sys.argv[2])


def read(part):
    paths = sorted(map(str, (corpus / part).glob("*/*")))
    return [Path(p).parent.name for p in paths], [Path(p).read_bytes().decode("latin-1") for p in paths]


labels, texts = read("train")
_, questions = read("test")
vectorizer = CountVectorizer()
bayes = getattr(naive_bayes, model)().fit(vectorizer.fit_transform(texts), labels)
print("learned", flush=True)
for _ in sys.stdin:
    begun = time.process_time()
    answers = bayes.predict(vectorizer.transform(questions)).tolist()
    print(json.dumps({"Seconds": time.process_time() - begun, "Classes": answers}), flush=True)
