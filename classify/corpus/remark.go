package corpus

// Remark is about an unexpected way of reading.
type Remark struct {
	Path string
	What Oddity
	N    int // number of folders or links
}

// Oddity is the kind of a Remark.
type Oddity int

const (
	// Cut is a document, a text of a line or a row, or a message, whose content was cut at
	// Options.MaxBytes.
	Cut Oddity = iota

	// LikeMbox is one document that looks like an mbox of several messages.
	LikeMbox

	// LikeJSONL is one document that looks like JSON lines.
	LikeJSONL

	// LikeLines is one document that looks like a document a line.
	LikeLines

	// LeftFolders are N folders of a Maildir, or hidden Maildirs in another folder,
	// that were not read: see Options.Subfolders.
	LeftFolders

	// LeftLinks are N links to files that were not followed: see Options.FollowLinks.
	LeftLinks

	// Headless is a table whose first row looks like values, not like names of columns.
	Headless

	// Nested is a folder whose N folders, the classes, hold only folders.
	Nested
)

// cut remarks that the content of d was cut.
func (o *Options) cut(d *Document) {
	d.Cut = true
	o.remark(d.Path, Cut, 1)
}

// remark calls Remark, unless nil.
func (o *Options) remark(path string, what Oddity, n int) {
	if o.Remark != nil {
		o.Remark(Remark{path, what, n})
	}
}
