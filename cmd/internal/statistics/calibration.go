package statistics

import (
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Calibration is the object of 'polya calibrate --json' and a part of that of
// 'polya info --json'.
type Calibration struct {
	Database  string           `json:"database,omitempty"`
	Documents uint64           `json:"documents"` // number of documents at calibration
	Sample    int              `json:"sample"`
	Chosen    string           `json:"chosen"`
	Latest    *latestJSON      `json:"latest,omitempty"`
	Models    []calibratedJSON `json:"models"`
	Narrow    []narrowJSON     `json:"narrow,omitempty"` // of 'polya info' only
	Rates     []OfClass        `json:"rates,omitempty"`  // by the chosen model
	Zones     []zoneJSON       `json:"zones,omitempty"`  // by the chosen model; of 'polya info' only
	Earned    []Earned         `json:"earned,omitempty"`
	*Labels
}

type calibratedJSON struct {
	Model    string          `json:"model"`
	Loss     terminal.Number `json:"log_loss"`
	Variance terminal.Number `json:"variance,omitempty"`
	Floor    terminal.Number `json:"floor,omitempty"`
	Weights  []weightJSON    `json:"weights"`
}

type weightJSON struct {
	Model  string          `json:"model"`
	Weight terminal.Number `json:"weight"`
}

// NewCalibration returns the JSON form of some models of a calibration.
func NewCalibration(database string, k *calibration.Calibration, models ...calibration.Model) *Calibration {
	j := &Calibration{Database: database, Documents: k.Documents, Sample: k.Sample, Chosen: k.Chosen, Models: []calibratedJSON{}}
	if k.Latest.Documents > 0 {
		j.Latest = newLatest(k.Latest)
	}
	for _, m := range models {
		j.Models = append(j.Models, calibratedJSON{m.Name, terminal.Number(m.Loss), terminal.Number(m.Variance), terminal.Number(m.Floor), weightsOf(&m)})
	}
	return j
}

// weightsOf returns the named weights of a model.
func weightsOf(m *calibration.Model) []weightJSON {
	names := []string{m.Name}
	if of, err := classify.ParseModel(m.Name); err == nil {
		if stack, ok := of.(model.Stack); ok {
			names = nil
			for _, c := range stack.Components {
				names = append(names, c.Model.Name())
			}
		}
	}
	var list []weightJSON
	for i, w := range m.Weights {
		if i < len(names) {
			list = append(list, weightJSON{names[i], terminal.Number(w)})
		}
	}
	return list
}

// Loss formats a log loss.
func Loss(x float64) string { return fmt.Sprintf("%.4f", x) }

// Choice says which model was chosen and why.
func Choice(k *calibration.Calibration) string {
	m := k.Model(k.Chosen)
	if m == nil {
		return k.Chosen
	}
	return fmt.Sprintf("%s: %s nats on %s, leave-one-out",
		terminal.Printable(k.Chosen), Loss(m.Loss), terminal.Counted(k.Sample, "document", "documents"))
}
