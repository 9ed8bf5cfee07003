package daemon

import (
	"context"
	"runtime"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/metrics"
	"github.com/polya-classifier/polya/store"
)

// gauges are measured one after the other.
type gauges struct{ metrics.Page }

func (d *Daemon) metrics(ctx context.Context) string {
	var g gauges
	d.counts.Write(&g.Page)
	err := d.engine.Ready(ctx)
	g.Flag("polya_ready", err == nil, "1 if the shared database can be used.")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g.Gauge("go_goroutines", float64(runtime.NumGoroutine()), "Goroutines.")
	g.Gauge("go_memstats_heap_alloc_bytes", float64(m.HeapAlloc), "Bytes of objects on the heap.")
	g.ofAuto(d.engine.AutoState())
	if d.Follower != nil {
		d.Follower.Gauges(&g.Page)
	}
	if why, err := d.engine.Untaught(ctx); err == nil {
		g.Flag("polya_untaught", why != "", "1 if all answers of the shared database are unsure, since a class was not learned.")
	}
	if err == nil {
		_ = d.engine.Use(ctx, "", func(c *classify.Classifier) error { // a database that is not made yet has no gauges
			g.ofDatabase(c)
			return nil
		})
	}
	return g.String()
}

// ofAuto measures how answers change with time, and automatic learning, if there is any.
func (g *gauges) ofAuto(a engine.AutoState) {
	if !a.On {
		return
	}
	g.Flag("polya_auto_stopped", a.Stopped != "", "1 if automatic learning has stopped by itself.")
	g.Gauge("polya_auto_learned", float64(a.Learned), "Documents learned automatically.")
	g.Gauge("polya_auto_wrong", float64(a.Wrong), "Those of them that were corrected.")
	g.Gauge("polya_drift_unsure", a.Unsure, "Share of the last answers that is unsure.")
	g.Gauge("polya_drift_distance", a.Distance, "Kolmogorov-Smirnov distance of the scores of the last answers from the first.")
}

// ofDatabase measures a database. Gauges that cannot be read are left out.
func (g *gauges) ofDatabase(c *classify.Classifier) {
	if size, err := c.Store().Size(); err == nil {
		g.Gauge("polya_database_bytes", float64(size), "Size of the shared database.")
	}
	_ = c.Store().View(func(s *store.Snapshot) error {
		log, err := s.Stream()
		if position, failed := s.Position(); err == nil && log != nil && failed == nil {
			g.Gauge("polya_log_position", float64(position), "Position up to which the shared database has applied the log that it follows.")
		}
		return nil
	})
	classes, err := c.Classes()
	if err != nil {
		return
	}
	documents := uint64(0)
	for _, class := range classes {
		documents += class.Docs
		g.Gauge("polya_documents", float64(class.Docs), "Documents learned.", metrics.Label("class", class.Name))
	}
	k, err := c.Calibration()
	if err != nil || k == nil {
		return
	}
	g.Gauge("polya_calibration_documents", float64(k.Documents), "Documents learned when the calibration was made.")
	g.Gauge("polya_calibration_behind_documents", float64(documents)-float64(k.Documents), "Documents learned since, less those taken back.")
	if k.Latest.Documents > 0 {
		g.Flag("polya_calibration_unlike", k.Latest.Unlike(), "1 if what had been learned before did not prepare for the latest documents.")
	}
	if m := k.Model(k.Chosen); m != nil {
		g.Gauge("polya_calibration_log_loss", m.Loss, "Mean log loss of learned documents, each left out in turn, in nats.", metrics.Label("model", k.Chosen))
	}
}
