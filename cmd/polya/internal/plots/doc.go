// Package plots writes an evaluation.Report as one HTML document for people: tables,
// and figures drawn as SVG. It computes no measure; it draws what the report holds.
// The document needs no script, no network and no font: its text is text, in whatever
// font the reader has, held to the width it was laid out for.
//
// A model has the same colour, dashes and marks in all figures. Colours are told apart
// by colour-blind readers; dashes and marks, in print without colour.
package plots
