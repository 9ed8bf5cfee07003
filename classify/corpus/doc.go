// Package corpus reads documents, labelled or not, from where people keep them:
// files, folders, mbox files, Maildirs, JSON lines, tables and a stream, compressed or
// not.
//
// Walk calls a function for each document at a path. Folders does the same for a folder
// of folders and labels each document with the name of its folder.
//
// The order is deterministic: files come in byte order of their paths, and documents of
// one file in their order in the file. One document is in memory at a time, however large
// the mbox; only a table that cannot be read twice is held as a whole.
//
// # Attributes
//
// A JSON line may carry named values beside its text or in place of it:
//
//	{"class":"work","text":"…","attributes":{"size":1234,"day":"mon","urgent":true,"list":null}}
//
// Numbers are float64, as near as that can be to what is written, and an error
// beyond its range; strings, true and false are what they are; null and the empty
// string say that the document lacks the attribute. Arrays, objects and a name that
// comes twice are errors, and so are two keys "text", "class", "id", "time" or
// "attributes", in letters of any case.
//
// In a table every column is an attribute, but those for the class, the text and the
// id. All cells of a column together say what it is: numbers if all are; yes or no if
// all are yes, no, true or false, in letters of any case; else strings. One of strings
// may be taken for the text where none is named: see [Options.Use]. An empty cell
// and ?, -, NA, N/A, NaN, none or null, in letters of any case, say nothing, and are not
// looked at. White space at the ends of cells does not count. Numbers are decimal, with
// a point. A table is UTF-8, or UTF-16 with a byte order mark; bytes that are not UTF-8
// are read as Windows-1252. A first line "sep=;" says what parts the columns.
//
// A document may have 4,096 attributes; a line or a row with more is an error that does
// not stop the reading. A table ends with a row of more than [Options.MaxBytes] and 1
// MB, since it is not known where the next one would begin, and where rows without an
// id are more than 16,777,216 different ones: they are remembered, at 25 to 40 bytes
// each, to tell equal ones apart.
//
// # One document or several
//
// A file and standard input are one document each. Only the name of a file, its place,
// or the format that is asked for makes several of it, see [Auto]: the sender of a
// message chooses what is in it, and could hide a message behind another one.
// [Options.Several] lets content decide, for what somebody has put together.
//
// # What a walk visits
//
// A folder stands for every regular file below it. Names that begin with a dot
// are skipped. A folder that has cur/ and new/ is a Maildir: every file in these two is
// one message, and nothing else in it is read, unless [Options.Subfolders] asks for the
// Maildirs in it, which those of Maildir++ are, whose names begin with a dot.
//
// Symbolic links to files are followed as long as they do not lead out of the folder,
// links to folders are not, since they can form loops. Sockets, pipes and devices are
// skipped.
//
// # Errors
//
// A file that cannot be read, or a line that is not JSON, does not stop a walk;
// what went wrong is returned, joined, when the walk is done. An error of the
// called function, or the end of the context, stops the walk at once and is
// returned alone. A path without any document is an error: nothing is more
// expensive than training that silently did nothing.
package corpus
