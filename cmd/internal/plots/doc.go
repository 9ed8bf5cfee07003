// Package plots writes an evaluation.Report as one HTML document for people: tables, and
// figures drawn as SVG. It computes no measure; it draws what the report holds. The
// document needs no script, no network and no font: its labels are text in a font of the
// reader, stretched to the width of the layout.
//
// A model has the same colour, dashes and marks in all figures. Colour-blind readers can
// distinguish the colours; dashes and marks differ in print without colour.
package plots
