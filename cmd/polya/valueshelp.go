package main

const valuesHelp = `A document may have attributes: named values beside its words. They are counted by
class like words, and forgotten as exactly. There are four kinds:

    category   one name out of any number, such as a sender or the day of the week
    yesno      yes or no
    real       a number; a normal distribution should fit it, so that of sizes, say,
               the logarithm is better than the size
    uniform    a number, 0 or more, of which the range matters

They come from

    JSON lines   {"class":"spam","text":"…","attributes":{"size":1234,"day":"mon",
                 "urgent":true}}; null is absent, and "text" may be left out
    tables       files named .csv or .tsv, or --format csv: every column is one, but
                 those for the class, the text and the id. An empty cell, ?, -, NA, N/A,
                 NaN, none and null, in any case, are absent. The header row tells
                 whether commas, semicolons or tabs part the columns, or a line "sep=;"
                 before it; numbers have a decimal point. Where no column is named for
                 the text, the only one of sentences, almost all different, is it, and a
                 note says so; --text-column '' takes it for a category
    mail         what the analyzer of the database asks for: --analyzer "polya-3
                 attr=mail" for all, or attr=sender,size with names of this list:
                 sender, domain, list, to (categories: address in From, its domain,
                 List-Id, first address in To), size, recipients, attachments (reals:
                 the natural logarithm of 1 more than these), hour and weekday (of
                 Date, in its own zone; categories, since 23 comes next to 00)
    --attr       size=1234, day=mon, or zip:category=01234 to state the kind, for every
                 document of the call. It goes before what the source says of that name

A value is of the kind that --kind states, or else that the database counts under this
name, or else that it looks like: a number is a real, yes, no, true and false are a
yesno, all else is a category. The cells of a column are looked at together. What is
counted as one kind is not taken as another, and the document is refused, but text of
tables and --attr is always a category where that is counted. JSON tells numbers from
text by itself; --kind zip=category takes its numbers for categories.

What is a document: one with an id (of a JSON line or a column) is known by that, mail
by Message-ID and body, and by what the line or row says beside it, and all others by
their content and all attributes that the source and --attr give. So what was trained
with --attr is forgotten with the same --attr, if it is not mail. Equal rows of a table
are documents of their own, told apart by how many come before: to train a table twice
changes nothing, and to forget it forgets all. Equal rows of two tables are the same.

A document with an id that was learned before is not learned again, whatever its row says
now: forget it first, or, if the column "id" is no key, say --id-column ''. Of a table
without ids a corrected row is another document: forget the old file before training the
new one. With --ledger none, forgetting takes away what is given: give the same --attr.
`
