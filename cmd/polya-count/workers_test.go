package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// serveJobs is prism as a process of its own, at the port of POLYA_PORT.
func serveJobs() {
	port := 0
	_, err := fmt.Sscan(os.Getenv("POLYA_PORT"), &port)
	if err == nil {
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// runOnTwo runs a pipeline on two workers: prism starts one for each environment.
func runOnTwo(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	environment, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		return nil, err
	}
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return nil, err
	}
	all := pipeline.GetComponents()
	for id, e := range all.GetEnvironments() {
		other := proto.Clone(e).(*pipepb.Environment)
		other.Dependencies = nil
		all.Environments["other"] = other
		for _, transform := range all.GetTransforms() {
			if transform.GetEnvironmentId() == id && (strings.Contains(transform.GetUniqueName(), "settling") || strings.Contains(transform.GetUniqueName(), "finishing")) {
				transform.EnvironmentId = "other"
			}
		}
		break
	}
	return runnerlib.Execute(ctx, pipeline, *jobopts.Endpoint, &runnerlib.JobOptions{Name: "two", Loopback: true}, false)
}

// pool starts a process for each worker that a runner asks for.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	t  *testing.T
	mu sync.Mutex

	workers []*exec.Cmd
}

// metricIDs is how a worker names its metrics. Prism takes the names of all workers of a job for
// those of one process, so that each worker of the test has a range of its own.
//
//go:linkname metricIDs github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness.defaultShortIDCache
var metricIDs *struct {
	_    sync.Mutex
	_, _ map[string]string
	last int64
}

// StartWorker starts one.
func (p *pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := called(context.Background(), "--worker", "--id="+r.GetWorkerId(),
		"--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	cmd.Env = append(cmd.Env, fmt.Sprint("POLYA_WORKER=", 1+len(p.workers)))
	p.workers = append(p.workers, cmd)
	return &fnpb.StartWorkerResponse{}, cmd.Start()
}

// StopWorker does nothing: the test ends all.
func (p *pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}

// kill ends the workers, and returns how many there were.
func (p *pool) kill() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.workers)
	for _, w := range p.workers {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
	p.workers = nil
	return n
}

// runner starts prism and a pool of workers, and returns the flags that use them.
func runner(t *testing.T) (*pool, []string) {
	t.Helper()
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "POLYA_COUNT=runner", fmt.Sprint("POLYA_PORT=", port))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	p, s := &pool{t: t}, grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(s, p)
	go s.Serve(listener)
	t.Cleanup(func() { s.Stop(); p.kill() })
	return p, []string{"--runner", "two", "--endpoint", fmt.Sprint("localhost:", port), "--environment_type", "EXTERNAL", "--environment_config", listener.Addr().String()}
}

// A runner in a process of its own, and two workers in theirs, come to the dump of polya
// train. If a worker is killed there is no database to merge into, and the same command again makes
// it: what was done twice counts once.
func TestTwoWorkers(t *testing.T) {
	program, dir := polya(t), t.TempDir()
	var paths []string
	for part := range 3 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(part, ".jsonl")))
		write(t, paths[part], lines(part))
	}
	want, _ := dumpOf(t, program, append([]string{"--labelled"}, paths...)...)
	workers, flags := runner(t)
	out := filepath.Join(dir, "all")
	count := append(flags, "--out", out, "--labelled")

	// The first worker reads a pipe when it is killed, and the others of its inputs are read.
	pipe := filepath.Join(dir, "2.jsonl")
	if err := errors.Join(os.Rename(pipe, pipe+".later"), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	killed := called(t.Context(), append(count, paths...)...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	if n := workers.kill(); n != 2 {
		t.Errorf("there were %d workers", n)
	}
	writer.Close()
	ended := make(chan error, 1)
	go func() { ended <- killed.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it has not failed without its workers")
		}
	case <-time.After(time.Minute):
		t.Log("the runner waits for workers that are gone")
		_ = killed.Process.Kill()
		<-ended
	}
	if names, _ := filepath.Glob(out + ".polya"); len(names) > 0 {
		t.Errorf("it leaves %v", names)
	}

	if err := os.Rename(pipe+".later", pipe); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runCount(t, append(count, paths...)...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if n := workers.kill(); n != 2 {
		t.Errorf("there were %d workers", n)
	}
	if got := merged(t, program, out); got != want {
		t.Errorf("train has\n%.2000s\nhere is\n%.2000s", want, got)
	}
}
