package main

import (
	"bufio"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const classifyHelp = `Say which class each document at PATH belongs to, a line for each, in order:

    CLASS<TAB>PROBABILITY<TAB>PATH

Where the answer should not be acted on a fourth column follows, the word "unsure",
and a fifth, why:

    no known term             no class has any term of the document
    few known terms           fewer than --min-terms
    class of few documents    fewer than --min-docs
    tie                       another class is exactly as probable
    below threshold           --threshold, which is 0 unless you say otherwise
    every answer costs more   than --cost unsure=COST
    empty                     there is nothing to read
    not text                  what there is, is no text: 'polya help paths'
    too close to call         neither yes nor no to --is is worth its risk
    evidence contradicts itself
                              no to --is, but a few strong terms or the header say yes
    held back by --fpr        the class of --is is the most probable, and not beyond the
                              cut-off that keeps the rate
    rate not known yet        too few documents were judged to keep --fpr: about 3/RATE of
                              other classes, and 10 of the class (with more than 128
                              classes it never is)

Control characters in names are escaped. With --json each line is an object:

    {"path":"in/1.eml","id":"b22c3b5f354e19c7dec8805c4d35a42b",
     "message_id":"1@shop.example","class":"spam","probability":0.9987,"log_odds":6.64,
     "terms":143,"unsure":false,"posterior":{"spam":0.9987,"ham":0.0013}}

where id is that under which the document would be learned, message_id the Message-ID
of a message that has one. log_odds is that of the class against all others together,
in nats, for ranking where probabilities tie (null if there is no other class). terms
is the number of different terms that had a say: those that were learned, less those
that --df or --best leaves out. Unsure answers have a "reason" too, and with --cost
all have a "cost", what the answer is expected to cost.

--top K prints K lines for each document: its answer, and the most probable other
classes with their probabilities. With --json it leaves only the K most probable
classes in "posterior".

--cost 'ham>spam=10' says that to call ham spam costs 10; what is not said costs 1,
and 0 if it is right. A class with > in its name, or a comma in --prior, stands in double
quotes: --cost '"a>b">spam=10'. --prior is for when classes come in other proportions than
they were learned in: a class with D of N documents has by default, "empirical",
(D+1)/(N+C) with C classes; --prior dirichlet:A has (D+A)/(N+CA), ml has D/N, uniform
1/C, and spam=0.9 says it of some, while the others share the rest as by default.

--is spam answers spam, not spam, or unsure, whichever is expected to cost least, where
to call other documents spam costs 10, to miss spam 1, and to be unsure 0.1. The
log-odds at which the answer changes are fitted when polya calibrates, and 'polya info'
shows them. What is not spam is unsure as well where the evidence contradicts itself:
where the five terms that speak for spam most, or all of the header alone, speak for it
as in less than 1 % of the learned documents of other classes. Good words that a sender
adds to spam change the sum of all terms, and not these. --cost, --threshold (0 for the
most probable class) or --fpr takes the place of the costs, but not of the
contradiction.

--is spam --fpr 1% answers spam only above a cut-off that at most 1 % of the documents
of other classes exceed. That is a bound, kept with a confidence of 95 % (Clopper and
Pearson's) and taken from the learned documents of other classes, each scored as if it
had not been learned; 299 of them are needed for 1 %, 2,995 for 0.1 %. It assumes that
the documents to come are like these. Below the cut-off spam is unsure, "held back by
--fpr", however probable it is; where the cut-off allows it, spam of a probability of
0.46 is answered. 'polya info' shows the cut-offs, how much they catch, and the learned
documents that decide them: a single spam learned as ham can hold all spam back.

What a document has beside its words, as a row of a table has, is asked about too:
'polya help values' says more. Of the attributes that it has, those count that were
learned.

Without --is the exit code is 0 whatever the answers are. With --is CLASS it
answers too: 0 if the document is of CLASS, 1 if not, 4 if that is unsure. For
several documents it is 0 if all are of CLASS, else 1 if one surely is not, else 4.
Anything that could not be read makes it 3. Any other code, such as 2, is that of a
process that the system ended, and is no answer. 'polya help filter' has recipes.

Standard input is one document. A line "From sender date" at its beginning is no part of
it, and a message in the message makes no second one. It should be whole: procmail gives
a condition the header alone, unless the recipe begins with ":0 HB".`

type classifyFlags struct {
	asking
	pathFlags
	attributeFlags
	jobs int
	top  int
	json bool
}

func classifyCommand(p *program) *cobra.Command {
	var f classifyFlags
	cmd := &cobra.Command{
		Use:   "classify [--is CLASS] PATH…",
		Short: "say which class documents belong to",
		Long:  classifyHelp,
		Example: `    polya classify inbox/
    polya classify --top 3 inbox/
    polya classify --quiet --is spam - < message.eml
    polya classify --quiet --is spam --threshold 0.9 - < message.eml
    polya classify --is spam --fpr 1% message.eml`,
		Args: needsDocument,
		RunE: func(cmd *cobra.Command, args []string) error { return p.classify(cmd, &f, args) },
	}
	f.asking.flags(p, cmd, "answer by exit code whether it is `CLASS`")
	f.pathFlags.flags(cmd)
	f.attributeFlags.flags(cmd)
	f.top = 1
	numberFlag(cmd, &f.top, "top", "", 1, "print the answer and the most probable other classes, `K` lines in all")
	jsonFlag(cmd, &f.json)
	jobsFlag(cmd, &f.jobs)
	return cmd
}

func (p *program) classify(cmd *cobra.Command, f *classifyFlags, paths []string) error {
	return p.over(cmd, opening{
		paths: paths, flags: &f.pathFlags, attributes: &f.attributeFlags, jobs: f.jobs,
		open:  func() (*classify.Classifier, error) { return f.open(p, cmd) },
		close: leaveOpen,
	}, func(db *classify.Classifier, r *reading.Reader) error {
		a := answers{
			database: r.Database, asked: cmd.Flags().Changed("is"), is: f.is,
			costs: len(f.costs) > 0, top: f.top, json: f.json, quiet: p.Quiet, out: bufio.NewWriterSize(p.Stdout, 1<<16),
		}
		if f.json && !cmd.Flags().Changed("top") {
			a.top = 0 // all
		}
		r.Work = func(d *reading.Document) {
			if f.json {
				d.Identify()
			}
			d.Count(r.Analyzer)
			if r.Attributes.Resolve(d) == nil { // or it is not delivered
				d.Answer, d.Err = db.Classify(cmd.Context(), d.Learnable(""))
				d.Doubt(&d.Answer)
			}
		}
		r.Deliver = a.give
		if terminal.IsTerminal(p.Stdout) { // the lines are the progress
			a.flushEach = true
		} else {
			r.Bar = reading.NewBar(p.Streams, paths, r.Options)
		}
		a.flushEach = a.flushEach || slices.Contains(paths, "-") // whoever writes it may wait for the answer
		err := r.Read(cmd.Context(), paths)
		r.Bar.Done()
		if flushed := a.out.Flush(); err == nil {
			err = flushed
		}
		if err == nil {
			err = r.Finish()
		}
		if err == nil {
			err = a.verdict()
		}
		return err
	})
}

// needsDocument checks that there is a path.
func needsDocument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().Changed("attr") {
		return misuse(cmd, "classify needs a path; of a document without a text, /dev/null, or - with nothing on standard input")
	}
	return needs(1, -1, "a path")(cmd, args)
}

// classNamed returns the class of that name, nil if there is none.
func classNamed(db *store.DB, name string) *count.Class {
	for _, c := range classesOf(db) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// answers prints the answers and sums them up as an exit code.
type answers struct {
	database    string
	asked       bool   // there is an --is
	is          string // its class
	costs       bool   // there are --cost
	top         int    // classes printed of each document; 0 for all, with json
	json, quiet bool
	flushEach   bool
	out         *bufio.Writer
	line        []byte
	no, unsure  bool
}

// give is called for each document in order.
func (a *answers) give(d *reading.Document) error {
	if d.Err != nil {
		return d.Err
	}
	if a.asked && !hasClass(&d.Answer, a.is) {
		return noSuchClass(a.database, a.is)
	}
	if d.Answer.Unsure {
		a.unsure = true
	} else if d.Answer.Class != a.is {
		a.no = true
	}
	if a.quiet {
		return nil
	}
	if a.json {
		a.line = appendAnswerJSON(a.line[:0], d, a.costs, a.top)
	} else {
		a.line = appendAnswer(a.line[:0], d.Path, &d.Answer, a.top)
	}
	_, err := a.out.Write(a.line)
	if a.flushEach && err == nil {
		err = a.out.Flush()
	}
	return err
}

// hasClass says whether a class could have been the answer.
func hasClass(r *classify.Result, class string) bool {
	return slices.ContainsFunc(r.Posterior, func(p classify.ClassProbability) bool { return p.Class == class })
}

// verdict is the exit code, as an error.
func (a *answers) verdict() error {
	switch {
	case !a.asked:
		return nil
	case a.no:
		return verdict(exitNo)
	case a.unsure:
		return verdict(exitUnsure)
	}
	return nil
}
