package main

const pathsHelp = `A PATH is a file, a folder, or - for standard input. Mail, HTML and plain text are told
apart by what is in them; how many documents a file holds is not, since the sender of a
message writes that:

    standard input    one document. A line "From sender date" before a message, as
                      procmail writes it, is no part of it
    a file            one document, unless its name says more:
    .mbox .mbx mbox   (.mboxrd, .mboxo, .mboxcl and .mboxcl2 too) a message after each
                      line "From sender date" that follows an empty line; also a file
                      in /var/mail, and one with an index of Thunderbird (.msf) beside
                      it
    .jsonl .ndjson    a JSON object with "text" or "attributes" on each line
    .csv .tsv         a row of a table each, below a header row
    a folder          every file below it; hidden ones are left out
    a Maildir         a folder with cur/ and new/: the messages in these two. The folders
                      in it (.Junk, .Sent) are read with --subfolders, or as classes
                      with --folders; --exclude Trash leaves some out

--format says otherwise, for all files: mail, html and text make each file one document,
mbox, jsonl and csv several. Where one document looks like several a note says so. With
--labelled, and in 'polya eval', standard input and files without such names may be JSON
lines or an mbox by what is in them.

What gzip, bzip2 or xz have compressed is read as what it was, whatever its name, and
x.mbox.gz as an mbox; a file that becomes more than 200 times as large is given up.

A document of nothing but white space, and one that is no text (of a known kind such as
PNG or PDF, with NUL bytes, or full of control characters), teach nothing: to train it by
its name is trouble, and in a folder it is left out with a note. Asked about it, the
answer is unsure: "empty" or "not text". --format text takes it as it is. Text in UTF-16
with a byte order mark is read.

In a folder links to files are followed as far as they stay in it; with --follow-links
also out of it, which is for folders that nobody else may write to. A PATH may be a link
itself. Of a document the first 64 MB are read, and a note says what was cut.
`
