// Package eval measures classifiers by their answers: how often they are right, how good
// their probabilities are, how well their scores rank, and whether a difference between
// two is significant.
//
// It does not depend on a classifier. An Answer holds the true class of one document and
// the answer; Results collects them, and every measure reads Results:
//
//	decisions      Confusion: accuracy, precision, recall, F1, LAM
//	probabilities  LogLoss, Brier, ECE, Reliability
//	ranking        ROC: the area above it, the miss rate at a few false alarms
//	comparison     McNemar, Bootstrap
//
// Order and Folds choose the documents for training and for testing; LogSizes the sizes
// of a learning curve.
//
// # Conventions
//
// Measures are fractions, 0 to 1, except losses and those whose name ends in Percent. An
// undefined measure is NaN: a mean without documents, an area without positives or
// negatives. Undefined precision, recall and F1 are 0, as in scikit-learn. Scores and
// probabilities that are NaN are refused when they are added. Mistakes of the program,
// such as slices of unequal length, panic; problems in data are errors.
//
// Everything here is deterministic: random draws use a given seed, and the same seed
// gives the same draws on every machine.
package eval
