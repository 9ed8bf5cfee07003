// Package eval measures classifiers by their answers: how often they are right,
// how good their probabilities are, how well their scores rank, and whether one
// is better than another or was lucky.
//
// It knows no classifier. An Answer says what was true of one document and what
// was said of it; Results collects them, and every measure reads Results:
//
//	decisions      Confusion, Accuracy, Precision, Recall, F1, LAMPercent
//	probabilities  LogLoss, Brier, ECE, Reliability
//	ranking        ROC: its area, the best error, what is missed at few false alarms
//	comparison     McNemar, Bootstrap
//
// Order and Folds choose the documents to learn and those to test; LogSizes the sizes
// of a learning curve.
//
// # Conventions
//
// Measures are fractions, 0 to 1, except losses and those whose name ends in Percent.
// A measure that has nothing to be told from is NaN: a mean without documents, an
// area without positives or negatives. Precision, recall and F1 are 0 there, as in
// scikit-learn. Scores and probabilities that are NaN are refused when they are added.
// Mistakes of the program, such as slices of unequal length, panic; what may be wrong
// with data is an error.
//
// Everything here is deterministic: what is drawn at random is drawn with a given
// seed, and the same seed draws the same on every machine.
package eval
