"""Reads unpacked corpora and cuts them into what is trained and what is tested.

A corpus is a directory of one of these layouts, one document per file:

    all/CLASS/NAME                      protocols halves, folds and dates
    train/CLASS/NAME test/CLASS/NAME    protocol parts

The protocols are cut by nothing but the names and the bytes of the files, so that
other programs can have the same documents on the same side:

    parts   what lies in train/ is trained, what lies in test/ is tested.
    halves  a document is trained if the first byte of the MD5 of NAME is even,
            otherwise tested.
    folds   ten folds; the fold of a document is the first eight bytes of the MD5 of
            NAME, taken as a big-endian unsigned number, modulo 10. Each fold is
            tested after training on the nine others.
    dates   mail. Documents in the order of their Date header, as seconds of UTC,
            equal ones in the order of the path all/CLASS/NAME by its bytes. The
            first half of them (rounded down) is trained, the rest tested.

Run as a program, it writes the first cut of a protocol as two files, TRAIN and TEST,
with CLASS, a tab and the path of one document per line:

    corpora.py CORPUS PROTOCOL TRAIN TEST
"""

import datetime
import email
import email.errors
import email.header
import email.utils
import hashlib
import os
import sys

FOLDS = 10


class Document:
    """One file of a corpus: its class, its base name, its path and its bytes."""

    def __init__(self, corpus, part, label, name):
        self.label, self.name = label, name
        self.path = "/".join((part, label, name))
        with open(os.path.join(corpus, part, label, name), "rb") as file:
            self.raw = file.read()


def read(corpus, part):
    """Returns the documents of a directory of classes, in the order of their paths."""
    top = os.path.join(corpus, part)
    documents = [
        Document(corpus, part, label, name)
        for label in os.listdir(top)
        for name in os.listdir(os.path.join(top, label))
    ]
    return sorted(documents, key=lambda d: os.fsencode(d.path))


def cuts(corpus, protocol):
    """Returns pairs of lists of documents: what is trained, what is tested."""
    if protocol == "parts":
        return [(read(corpus, "train"), read(corpus, "test"))]
    documents = read(corpus, "all")
    if protocol == "halves":
        return [by(documents, lambda d: digest(d.name)[0] % 2 == 1)]
    if protocol == "folds":
        return [by(documents, lambda d: fold(d.name) == n) for n in range(FOLDS)]
    if protocol == "dates":
        documents.sort(key=lambda d: date(d.raw))  # stable: equal dates stay in order
        half = len(documents) // 2
        return [(documents[:half], documents[half:])]
    raise ValueError(f"no protocol {protocol}: take parts, halves, folds or dates")


def by(documents, tested):
    """Returns the documents for which tested is false, and those for which it is true."""
    return [d for d in documents if not tested(d)], [d for d in documents if tested(d)]


def digest(name):
    """Returns the 16 bytes of the MD5 of a base name."""
    return hashlib.md5(os.fsencode(name)).digest()


def fold(name):
    """Returns the fold, 0 to 9, of the document of this base name.

    md5sum says 4c68cea7e58591b5… of "00001", which is 5505877764966027701:

    >>> digest("00001").hex()[:16], fold("00001")
    ('4c68cea7e58591b5', 1)
    """
    return int.from_bytes(digest(name)[:8], "big") % FOLDS


def date(raw):
    """Returns the Date header of a message in seconds of UTC.

    >>> date(b"Date: Tue, 24 Oct 2000 02:09:00 -0700 (PDT)\\n\\n") == 972378540
    True
    >>> date(b"Date: Tue, 24 Oct 2000 09:09:00 -0000\\n\\n") == 972378540
    True
    """
    when = email.utils.parsedate_to_datetime(email.message_from_bytes(raw)["Date"])
    if when.tzinfo is None:  # -0000: a time of UTC, of nobody knows where
        when = when.replace(tzinfo=datetime.timezone.utc)
    return when.timestamp()


def text(document, kind):
    """Returns the text of a document that is cut into terms.

    raw      the bytes of the file, as Latin-1: of mail all headers, encodings and
             markup as they are.
    mail     of mail the decoded headers Subject and From and the decoded text parts,
             with the markup of text/html.
    headers  as mail, with all headers.
    """
    if kind == "raw":
        return document.raw.decode("latin-1")
    message = email.message_from_bytes(document.raw)
    fields = message.items()
    if kind == "mail":
        fields = [(k, v) for k, v in fields if k.lower() in ("subject", "from")]
        lines = [header(v) for _, v in fields]
    else:
        lines = [k + ": " + header(v) for k, v in fields]
    lines += [body(p) for p in message.walk() if p.get_content_maintype() == "text"]
    return "\n".join(lines)


def header(value):
    """Returns the text of a header, undecoded if it cannot be decoded."""
    try:
        return str(email.header.make_header(email.header.decode_header(value)))
    except (email.errors.MessageError, LookupError, ValueError):
        return str(value)


def body(part):
    """Returns the text of a part in its own charset, otherwise as Latin-1."""
    payload = part.get_payload(decode=True) or b""
    try:
        return payload.decode(part.get_content_charset("latin-1"))
    except (LookupError, ValueError):
        return payload.decode("latin-1")


def main():
    corpus, protocol, *lists = sys.argv[1:]
    for documents, path in zip(cuts(corpus, protocol)[0], lists, strict=True):
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{d.label}\t{d.path}\n" for d in documents)


if __name__ == "__main__":
    main()
