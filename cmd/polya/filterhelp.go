package main

const filterHelp = `Learn what you have sorted already; the messages of a Maildir are those of its inbox:

    polya train spam ~/Maildir/.Junk
    polya train ham ~/Maildir

From twenty messages of each class on answers are worth something, and from some
hundreds on most are sure. 'polya classify --is spam' answers spam, not spam or unsure.
Give unsure mail a folder of its own: a sender can add good words until spam is unsure,
and gains nothing as long as that is not the inbox.

procmail starts polya with the message on standard input, and has a PATH of its own. In
~/.procmailrc:

    PATH=$HOME/go/bin:$PATH
    MAILDIR=$HOME/Maildir
    DEFAULT=$MAILDIR/
    ANSWER=` + "`polya classify --is spam - | cut -f 1,4`" + `

    :0
    * ANSWER ?? unsure
    .Unsure/

    :0
    * ANSWER ?? ^spam
    .Junk/

If there is no answer, because the database is not there for example, the message goes
to the inbox. A script has the exit code, 0 spam, 1 not spam, 4 unsure, 3 trouble; what
is none of these is trouble too:

    polya classify --quiet --is spam - < message.eml
    case $? in
    0) folder=.Junk ;;
    4) folder=.Unsure ;;
    *) folder=. ;;
    esac

Correct wrong answers: move the message, and train its folder again. What was learned
there before changes nothing, and what was moved there is moved. Train only what somebody
has looked at. 'polya info --is spam' lists the learned messages that are the likeliest to
be in the wrong class.
`
