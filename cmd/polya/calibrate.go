package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

const calibrateHelp = `Judge event models on documents that the database has learned, each without its own
help, and keep what fits them best: the weights of what stack weighs, what every class
has too much or too little of, and the thresholds of --fpr. The default model is then
the one of the least log loss, or stack while none is surely better; 'polya info' says
which that is. A model that only --model names is not chosen.

Log loss is the mean of -log of the probability of the right class, in nats: 0 is
perfect, and the logarithm of the number of classes is what knowing nothing gives.
Each half of the documents is judged by what was fitted to the other. Surely better
means: by more than twice the standard error of the difference.

Training calibrates by itself, whenever the database has grown by half, and at the end
of 'polya train' by a twentieth. This command is for more documents than training
takes, and for other models, which are then calibrated with the rest. It needs the
counts of 20 documents or more, which --ledger full keeps; with another ledger only
training can calibrate, by documents that it has just learned.`

// calibratedFrom is the number of documents from which on a database is
// calibrated.
const calibratedFrom = 20

type calibrateFlags struct {
	sample int
	models []string
	json   bool
}

func calibrateCommand(p *program) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "fit the models to what was learned, and choose one",
		Long:  calibrateHelp,
		Example: `    polya calibrate
    polya calibrate --sample 10000 --model dcm --model multinomial:log,jm=0.7`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.calibrate(cmd, &f) },
	}
	cmd.Flags().IntVar(&f.sample, "sample", 0, "judge about `N` documents, as will trainings to come, up to 10,000 (default\n1,000 to 4,000, the more the more classes there are; fewer with very many)")
	cmd.Flags().StringArrayVar(&f.models, "model", nil, "calibrate `MODEL` too; may be repeated. 'polya help models' lists them")
	jsonFlag(cmd, &f.json)
	complete(cmd, "model", modelNames()[1:]...)
	return cmd
}

func (p *program) calibrate(cmd *cobra.Command, f *calibrateFlags) error {
	models, err := f.parse(cmd)
	if err != nil {
		return err
	}
	c, err := p.openWrite(classify.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	before, err := c.Calibration()
	if err != nil {
		return err
	}
	size, err := c.Store().Size()
	if err != nil {
		return err
	}
	wait := p.newWait("calibrating", size)
	k, err := c.Calibrate(cmd.Context(), f.sample, append(models, calibratedModels(before)...)...)
	wait.done()
	switch {
	case err != nil:
		return err
	case k == nil && before != nil:
		return fmt.Errorf("%s: keeps the calibration that it has, by %s: less than half as many can be judged now; "+
			"give --sample to have it by these", c.Store().Path(), counted(before.Sample, "document", "documents"))
	case k == nil:
		return uncalibratable(c.Store())
	case f.json:
		return p.encodeJSON(newCalibrationJSON(c.Store().Path(), k, k.Ranking()...))
	}
	return p.printCalibration(c.Store().Path(), k, models)
}

func (f *calibrateFlags) parse(cmd *cobra.Command) ([]classify.EventModel, error) {
	if cmd.Flags().Changed("sample") && f.sample < calibratedFrom {
		return nil, misuse(cmd, "--sample %d: want %d documents or more", f.sample, calibratedFrom)
	}
	var models []classify.EventModel
	for _, name := range f.models {
		m, err := classify.ParseModel(name)
		if err != nil {
			return nil, unknownModel(err)
		}
		if !isOneModel(m) {
			return nil, misuse(cmd, "--model %s: it is made of the models that are calibrated, and not one itself", name)
		}
		models = append(models, m)
	}
	return models, nil
}

// calibratedModels are those that were calibrated before. They are calibrated
// again, so that all losses are of the same documents.
func calibratedModels(k *classify.Calibration) []classify.EventModel {
	var models []classify.EventModel
	if k == nil {
		return nil
	}
	for _, m := range k.Models {
		if model, err := classify.ParseModel(m.Name); err == nil && isOneModel(model) {
			models = append(models, model)
		}
	}
	return models
}

// uncalibratable says why there was nothing to calibrate on, and what to do.
func uncalibratable(db *store.DB) error {
	classes := classesOf(db)
	if len(classes) < 2 {
		return fmt.Errorf("%s: cannot be calibrated with fewer than two classes; train another", db.Path())
	}
	full, err := documentsInFull(db)
	if err != nil {
		return err
	}
	// Two of each class, or with very many classes fewer than that.
	needed := max(calibratedFrom, 2*len(classes))
	advice := "train more"
	if db.Ledger() != store.LedgerFull {
		advice = fmt.Sprintf("what 'polya train --ledger full' learns from now on counts, a training of that many calibrates by itself, "+
			"and a new database keeps all if its first training has --ledger full (this one keeps %s)", db.Ledger())
	}
	return fmt.Errorf("%s: cannot be calibrated, as the ledger has the counts of %s, and %s of two classes or more are needed; %s",
		db.Path(), counted(full, "document", "documents"), grouped(needed), advice)
}

// documentsInFull is the number of documents of which the ledger has the counts.
func documentsInFull(db *store.DB) (full int, err error) {
	err = db.View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			if e.Keep == store.LedgerFull {
				full++
			}
			return nil
		})
	})
	return full, err
}

// printCalibration prints the models from the best to the worst.
func (p *program) printCalibration(path string, k *classify.Calibration, asked []classify.EventModel) error {
	if p.quiet {
		return nil
	}
	t := table{numeric: []bool{false, true, false}}
	t.add("model", "log loss")
	ranking := k.Ranking()
	for _, m := range ranking {
		row := []string{printable(m.Name), loss(m.Loss)}
		if m.Name == k.Chosen {
			row = append(row, "chosen")
		}
		t.add(row...)
	}
	if err := t.write(p.stdout); err != nil {
		return err
	}
	for _, m := range asked {
		if calibratedModel(k, m.Name()) == nil && m.Name() != "auto" {
			p.note(fmt.Errorf("%s gives documents a probability of 0 and cannot be calibrated", m.Name()))
		}
	}
	p.printf("\n")
	if len(ranking) > 0 && ranking[0].Name != k.Chosen {
		p.printf("(stack is chosen unless another is better by more than twice the standard error of\n" +
			"the difference; a model that only --model names is never chosen)\n")
	}
	p.printf("%s: %s\n", printable(path), choiceLine(k))
	return nil
}

// choiceLine says what was chosen and why.
func choiceLine(k *classify.Calibration) string {
	m := calibratedModel(k, k.Chosen)
	if m == nil {
		return k.Chosen
	}
	return fmt.Sprintf("%s: %s nats on %s, each judged without its own help",
		printable(k.Chosen), loss(m.Loss), counted(k.Sample, "document", "documents"))
}

// loss is a log loss.
func loss(x float64) string { return fmt.Sprintf("%.4f", x) }

func calibratedModel(k *classify.Calibration, name string) *classify.CalibratedModel {
	for i := range k.Models {
		if k.Models[i].Name == name {
			return &k.Models[i]
		}
	}
	return nil
}

// calibrationJSON is the object of 'polya calibrate --json' and a part of that of
// 'polya info --json'.
type calibrationJSON struct {
	Database  string           `json:"database,omitempty"`
	Documents uint64           `json:"documents"` // when it was made
	Sample    int              `json:"sample"`
	Chosen    string           `json:"chosen"`
	Models    []calibratedJSON `json:"models"`
}

type calibratedJSON struct {
	Model   string       `json:"model"`
	Loss    number       `json:"log_loss"`
	Weights []weightJSON `json:"weights"`
}

type weightJSON struct {
	Model  string `json:"model"`
	Weight number `json:"weight"`
}

func newCalibrationJSON(database string, k *classify.Calibration, models ...classify.CalibratedModel) *calibrationJSON {
	j := &calibrationJSON{Database: database, Documents: k.Documents, Sample: k.Sample, Chosen: k.Chosen, Models: []calibratedJSON{}}
	for _, m := range models {
		j.Models = append(j.Models, calibratedJSON{m.Name, number(m.Loss), weightsOf(&m)})
	}
	return j
}

// weightsOf returns the weights of a model with the names of what is weighed.
func weightsOf(m *classify.CalibratedModel) []weightJSON {
	names := []string{m.Name}
	if model, err := classify.ParseModel(m.Name); err == nil {
		if stack, ok := model.(classify.Stack); ok {
			names = nil
			for _, c := range stack.Components {
				names = append(names, c.Model.Name())
			}
		}
	}
	var list []weightJSON
	for i, w := range m.Weights {
		if i < len(names) {
			list = append(list, weightJSON{names[i], number(w)})
		}
	}
	return list
}
