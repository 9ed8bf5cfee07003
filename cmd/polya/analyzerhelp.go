package main

const analyzerHelp = `The analyzer turns documents into the terms that are counted. What it does is one line,
its spec, which --analyzer gives to a new database and 'polya info' shows:

    polya-3 lang=auto stem=auto stop=off ngram=1 min=2

That is the default. A spec is the version, polya-3, and any settings in any order; what
is left out has its default. The analyzer of a database cannot be changed, since counts
of other terms are of no use: make a new one, and learn the documents again. 'polya eval
--analyzer SPEC' measures first which is best for documents like yours.

    lang    auto    the language of each text is found by its stop words (default)
            none    there is none
            CODE    it is this one: en, fr, de, an ISO 639-1 code. Best for texts of one
                    language in Latin letters that is not English
    stem    auto    words are reduced to stems where that was measured to pay: with
                    lang=CODE in ten languages, with lang=auto words in Cyrillic, Arabic
                    and Tamil letters, and Turkish ones (default)
            on      in eighteen languages; for texts of several sentences, or with
                    lang=CODE. English gains while there is little to learn from
            off     words stay as they are
    stop    off     all words count (default)
            on      function words, such as "the", are left out
    ngram   1       words (default)
            2       and pairs of neighbouring words, as "two words"
    min     2       letters of the shortest word that counts, 1 to 9 (default 2)
    attr    off     mail has no attributes (default)
            mail    all that it can have: 'polya help values' lists them
            NAMES   some of them, as in attr=sender,size

Words are those of Unicode, in lower case and one form: full width, accents written apart
and invisible characters within make no difference. Underscores part words. A word of
more than 40 letters is read as the pieces that dots and the like join, and is line noise
if there are none. Chinese, Japanese, Korean, Thai and the like become single characters
and pairs. Of a page, what is seen gives words, what is hidden terms in the field
"invisible"; links give terms in the fields "url" and "path".

Mail gives terms with a field for all but the words of its text: subject:offer,
from:example.org, received:192.0.2, mime:image/png, missing:date and so on. 'polya
explain --all' shows those of a message.

Of a text, page or message with more than 1 MiB of text that is seen, the first and the
last half of that count, and the term limit:text says so; 'polya train -v' notes it. Mail
has more limits (50,000 parts, 256 KiB of header), each with its term: limit:parts,
limit:header and so on. What gives no text, such as empty parts and comments, uses none of
that room.
`
