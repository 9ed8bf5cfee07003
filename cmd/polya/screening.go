package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
)

// screening holds the flags that say how attributes are read.
type screening struct {
	attributes string
	screen     float64
	screenBy   string
}

func (s *screening) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.attributes, "attr-model", "", "what attributes are taken for, `PARAMETERS` of the model attributes, as in\ngaussian,alpha=1 ('polya help models'); off leaves them out")
	cmd.Flags().Float64Var(&s.screen, "screen", 0, "leave out attributes by which the classes are more alike than `SHARE`, as\n'polya attributes' prints it; 0 leaves out none")
	cmd.Flags().StringVar(&s.screenBy, "screen-by", overlap.Area.String(), "`MEASURE` of --screen: overlap, of the densities of two classes, or dot,\ntheir dot product")
	complete(cmd, "screen-by", "overlap", "dot")
}

// options adds what the flags say to o.
func (s *screening) options(cmd *cobra.Command, o *classify.Options) error {
	o.Screen = s.screen
	if !(s.screen >= 0 && s.screen <= 1) {
		return misuse(cmd, "--screen %v: want a similarity of classes, 0 to 1", s.screen)
	}
	by := slices.IndexFunc(overlap.Measures(), func(m overlap.Measure) bool { return m.String() == s.screenBy })
	switch {
	case by < 0:
		return misuse(cmd, "--screen-by %.40q: want overlap or dot", s.screenBy)
	case s.screen == 0 && cmd.Flags().Changed("screen-by"):
		return misuse(cmd, "--screen-by needs --screen SHARE, as in --screen 0.8")
	}
	o.ScreenBy = overlap.Measures()[by]
	switch s.attributes {
	case "":
	case "off":
		o.WordsOnly = true
	default:
		m, err := classify.ParseModel("attributes:" + s.attributes)
		if err != nil {
			return misuse(cmd, "--attr-model: %w", err)
		}
		o.Attributes = m.(model.Attributes)
	}
	return nil
}
