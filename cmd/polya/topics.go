package main

import "github.com/spf13/cobra"

// topics lists what 'polya help' explains beside the commands: commands that
// cannot be run.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "analyzer", Aliases: []string{"analyser", "spec"}, Short: "how documents become terms: the settings of --analyzer", Long: analyzerHelp},
		{Use: "filter", Aliases: []string{"filters", "procmail"}, Short: "how to filter mail with procmail and scripts", Long: filterHelp},
		{Use: "models", Aliases: []string{"model"}, Short: "the event models and their parameters", Long: modelsHelp},
		{Use: "paths", Aliases: []string{"path", "formats", "format", "maildir", "mbox"}, Short: "how files, folders and standard input are read", Long: pathsHelp},
		{Use: "values", Aliases: []string{"value", "attr", "attrs", "attribute"}, Short: "attributes: named values of documents beside their words", Long: valuesHelp},
	}
}

const modelsHelp = `An event model is a way to read the counts; a database can be asked by any of them,
whatever it was made with. --model takes a name and, after a colon, parameters in any
order with commas between: multinomial:log,jm=0.7.

    auto         the default: stack, or one of five others if that is surely better;
                 'polya info' says which, 'polya calibrate' compares them
    stack        weighs the scores of eight others by how well they do: six kinds of
                 ratio, bernoulli and normalised
    average      the mean of what the calibrated models say, by how probable each is
    gibbs        says what one of these says, drawn for each document
    multinomial  how often each term occurs, every occurrence drawn by itself
    bernoulli    whether each term occurs; terms that are missing count too
    dcm          Pólya's urn: a term that has occurred is likely to occur again
    normalised   the multinomial, every document taken to be of the same length
    complement   how badly a document fits the other classes together
    ratio        the mean of the strong ratios of a class to the others
    attributes   no words but the named values beside them ('polya help values'), each
                 by itself; the models above have them too, where there are any

Parameters, with what they are if left out:

    multinomial  alpha=0.1     added to each count; or one of m=10, jm=0.7,
                               dirichlet=1000 (unequal parameters: 1000 times the share
                               of each term in all classes) and discount=0.8
                 log, binary   count log(1+x) or 1 of a term that occurs x times
                 mean          of the posterior of a probability; or map, its mode (with
                               alpha=1 or more), or ml, maximum likelihood
    bernoulli    yes=0.02      documents with, and without, each term that are
                 no=0.02       supposed to have been seen before
                 mean          or map (with yes=1,no=1 or more), or ml
    dcm          epsilon=0.01  of a pseudo-document of each term
                 edcm          Elkan's approximation, whose fit is in closed form
                 map           or ml
    normalised   jm=0.8        share of the background
    complement   alpha=1       added to each count; 0.1 with normalised
                 normalised    every document taken to be of the same length
    ratio        weights       compares weights of terms; or documents, their numbers
                 alpha=0.01    added to both sides of a ratio
                 bound=1       the logarithm from which on a ratio is strong
    attributes   alpha=0.1     added to each count of a category, and to yes and no
                 mean          or map (with alpha=1 or more), or ml
                 proportional  give each category a prior in proportion to its share in
                               all classes (unequal Dirichlet parameters); with mean
                 shared        the same variance of a real number in all classes
                 student       the density of a real number, widened by how little is
                               known; or gaussian, or sample, with n-1 for n
                               (and jm=0.1, a share of all classes together to be
                               mixed in: 0.05 where answers are calibrated)
    gibbs        seed=0        of the draws

The others have none. Probabilities are calibrated on documents that the database has
learned, each scored as if it had not been: what auto chooses from at every training
that matters, the models above by 'polya calibrate', and with other parameters when its
--model names them. --raw takes those of the model as it is.
`
