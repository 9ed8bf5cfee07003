package corpus

// Oddity is an unexpected way of reading, which [Options.Remark] is told.
type Oddity int

const (
	// LeftFolders are N folders of a Maildir, or hidden Maildirs in another folder,
	// that were not read: see Options.Subfolders.
	LeftFolders Oddity = iota

	// LeftSpecial are N folders of a Maildir that are no class: see IsSpecial.
	LeftSpecial

	// LeftLinks are N links to files that were not followed: see Options.FollowLinks.
	LeftLinks

	// LinkedFolders are N links to folders, which are never followed.
	LinkedFolders

	// Headless is a table whose first row looks like values, not like names of columns.
	Headless

	// Nested is a folder whose N folders, the classes, hold only folders.
	Nested
)

// remark calls Remark, unless nil, if there are any.
func (o *Options) remark(path string, what Oddity, n int) {
	if o.Remark != nil && n > 0 {
		o.Remark(path, what, n)
	}
}
