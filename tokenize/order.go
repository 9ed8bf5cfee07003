package tokenize

// Characters that turn the order in which letters are shown, as UTF-8.
var (
	rightToLeft = []byte("\u202e")
	endOfOrder  = []byte("\u202c")
)
