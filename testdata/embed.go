// Package testdata holds the sample mail that polya shows and tests itself with, so
// that the program can carry it. See README.md.
package testdata

import "embed"

// Mail is the sample mail: mail/train/CLASS/NNN.eml to learn from and
// mail/held/CLASS/NNN.eml to test answers by.
//
//go:embed mail
var Mail embed.FS
