// Package corpus reads documents, labelled or not, from where people keep them:
// files, folders, mbox files, Maildirs, JSON lines, tables and a stream, compressed or
// not.
//
// Walk calls a function for each document at a path. Folders does the same for a folder
// of folders and labels each document with the name of its folder.
//
// The order is deterministic: files come in byte order of their paths, and documents of
// one file in their order in the file. One document is in memory at a time, however large
// the mbox; only a table that cannot be read twice is held in memory.
//
// # Attributes
//
// A JSON line may carry named values beside its text or in place of it:
//
//	{"class":"work","text":"…","attributes":{"size":1234,"day":"mon","urgent":true,"list":null}}
//
// Numbers are the nearest float64, and an error beyond its range; strings, true and false
// are themselves; null and the empty string mean that the document lacks the attribute.
// Arrays, objects and a repeated name are errors, and so are repeated keys "text",
// "class", "id", "time" or "attributes", in any case.
//
// In a table every column is an attribute, except those for the class, the text and the
// id. All cells of a column together determine its kind: numbers if all are; yes or no if
// all are yes, no, true or false, in any case; else strings. A column of strings may
// become the text if none is named: see [Options.Use]. An empty cell and ?, -, NA, N/A,
// #N/A, <NA>, n.a., NaN, none or null, in any case, are missing values. White space at the ends of cells is
// ignored. Numbers are decimal, with a point or as spreadsheets and bookkeepers write them; [Column] tells
// of those that may be misread. A table is UTF-8, or UTF-16 with a byte order
// mark; bytes that are not UTF-8 are read as Windows-1252. A first line "sep=;" sets the
// column separator.
//
// A document may have 4,096 attributes; a JSON line with more is an error that does
// not stop reading. Reading a table stops at a row of more columns, or longer than
// [Options.MaxBytes] by more than 1 MB, since the beginning of the next one is unknown, and
// after 16,777,216 different rows without an id, which are remembered to recognise equal ones.
//
// # One document or several
//
// A file and standard input are one document each. Only the name of a file, its place, or
// the requested format makes it several documents, see [Auto]: the sender of a message
// chooses its content, and could hide a message behind another one. [Options.Several]
// lets content decide, for files that a user has put together.
//
// # What a walk visits
//
// A folder stands for every regular file below it. Names that begin with a dot are
// skipped. A folder that has cur/ and new/ is a Maildir: every file in these two is one
// message, and nothing else in it is read, unless [Options.Subfolders] asks for the
// Maildirs in it, such as those of Maildir++, whose names begin with a dot.
//
// Symbolic links to files are followed as long as they do not lead out of the folder,
// links to folders are not, since they can form loops. Sockets, pipes and devices are
// skipped.
//
// # Errors
//
// A file that cannot be read, or a line that is not JSON, does not stop a walk; these
// errors are returned, joined, at its end. An error of the called function, or the end of
// the context, stops the walk at once and is returned alone. A path without any document
// is an error: training must not silently do nothing.
package corpus
