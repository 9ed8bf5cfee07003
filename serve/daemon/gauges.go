package daemon

import (
	"context"
	"io"
	"runtime"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/metrics"
	"github.com/polya-classifier/polya/store"
)

// writeMetrics writes the counts of the daemon and the gauges of the shared database.
func (d *Daemon) writeMetrics(ctx context.Context, w io.Writer) error {
	ready := 1.
	err := followed{d.engine, d.Follower}.Ready(ctx)
	if err != nil {
		ready = 0
	}
	gauges := []metrics.Gauge{{Name: "polya_ready", Help: "1 if the shared database can be used.", Value: ready}}
	gauges = append(gauges, ofProcess()...)
	gauges = append(gauges, ofAuto(d.engine.AutoState())...)
	if d.Follower != nil {
		gauges = append(gauges, d.Follower.Gauges()...)
	}
	if d.config.Users.Path != "" {
		gauges = append(gauges, metrics.Gauge{
			Name: "polya_answers_without_room_total", Value: float64(d.engine.WithoutRoom()),
			Help: "Answers to users from the shared database alone, since more databases than users.max-open were in use.",
		})
	}
	if why, err := d.engine.Untaught(ctx); err == nil {
		untaught := 0.
		if why != "" {
			untaught = 1
		}
		gauges = append(gauges, metrics.Gauge{Name: "polya_untaught", Help: "1 if all answers of the shared database are unsure, since a class was not learned.", Value: untaught})
	}
	if err == nil {
		_ = d.engine.Use(ctx, "", func(c *classify.Classifier) error { // a database that is not made yet has no gauges
			gauges = append(gauges, ofDatabase(c)...)
			return nil
		})
	}
	return d.counts.Write(w, gauges)
}

// ofProcess measures the resources of the process, under the usual names for Go programs.
func ofProcess() []metrics.Gauge {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return []metrics.Gauge{
		{Name: "go_goroutines", Help: "Goroutines.", Value: float64(runtime.NumGoroutine())},
		{Name: "go_memstats_heap_alloc_bytes", Help: "Bytes of objects on the heap.", Value: float64(m.HeapAlloc)},
	}
}

// ofAuto measures how answers change with time, and automatic learning, if there is any.
func ofAuto(a engine.AutoState) (all []metrics.Gauge) {
	if !a.On {
		return nil
	}
	stopped := 0.
	if a.Stopped != "" {
		stopped = 1
	}
	return []metrics.Gauge{
		{Name: "polya_auto_stopped", Help: "1 if automatic learning has stopped by itself.", Value: stopped},
		{Name: "polya_auto_learned", Help: "Documents learned automatically.", Value: float64(a.Learned)},
		{Name: "polya_auto_wrong", Help: "Those of them that were corrected.", Value: float64(a.Wrong)},
		{Name: "polya_drift_unsure", Help: "Share of the last answers that is unsure.", Value: a.Unsure},
		{Name: "polya_drift_distance", Help: "Kolmogorov-Smirnov distance of the scores of the last answers from the first.", Value: a.Distance},
		{Name: "polya_drift_correction_loss", Help: "Mean log loss of answered messages that people taught, in nats.", Value: a.CorrectionLoss},
	}
}

// ofDatabase measures a database. Gauges that cannot be read are left out.
func ofDatabase(c *classify.Classifier) (all []metrics.Gauge) {
	if size, err := c.Store().Size(); err == nil {
		all = append(all, metrics.Gauge{Name: "polya_database_bytes", Help: "Size of the shared database.", Value: float64(size)})
	}
	_ = c.Store().View(func(s *store.Snapshot) error {
		if log, err := s.Stream(); err != nil || log == nil {
			return err
		}
		position, err := s.Position()
		if err == nil {
			all = append(all, metrics.Gauge{Name: "polya_log_position", Help: "Position up to which the shared database has applied the log that it follows.", Value: float64(position)})
		}
		return err
	})
	classes, err := c.Classes()
	if err != nil {
		return all
	}
	documents := uint64(0)
	for _, class := range classes {
		documents += class.Docs
		all = append(all, metrics.Gauge{
			Name: "polya_documents", Help: "Documents learned.", Labels: metrics.Label("class", class.Name), Value: float64(class.Docs),
		})
	}
	k, err := c.Calibration()
	if err != nil || k == nil {
		return all
	}
	all = append(all,
		metrics.Gauge{Name: "polya_calibration_documents", Help: "Documents learned when the calibration was made.", Value: float64(k.Documents)},
		metrics.Gauge{Name: "polya_calibration_behind_documents", Help: "Documents learned since, less those taken back.", Value: float64(documents) - float64(k.Documents)})
	if k.Latest.Documents > 0 {
		unlike := 0.
		if k.Latest.Unlike() {
			unlike = 1
		}
		all = append(all, metrics.Gauge{Name: "polya_calibration_unlike", Help: "1 if what had been learned before did not prepare for the latest documents.", Value: unlike})
	}
	if m := k.Model(k.Chosen); m != nil {
		all = append(all, metrics.Gauge{
			Name: "polya_calibration_log_loss", Help: "Mean log loss of learned documents, each left out in turn, in nats.",
			Labels: metrics.Label("model", k.Chosen), Value: m.Loss,
		})
	}
	return all
}
