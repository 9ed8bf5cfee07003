package rows

// Row is a term with its new row, nil to remove it.
type Row struct {
	Hash uint64
	Term []byte
	Data []byte
}
