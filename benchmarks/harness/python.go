package harness

import _ "embed"

// Python is Debian's Python, which finds Debian's modules independently of the path.
const Python = "/usr/bin/python3"

// ScikitLearn is a program for Python that has scikit-learn do what its first argument says.
//
//go:embed scikitlearn.py
var ScikitLearn string
