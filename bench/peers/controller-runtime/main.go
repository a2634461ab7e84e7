// Command controller-runtime is the operator of the benchmark on controller-runtime. Its environment says what it does:
// BENCH_MODE is "reconcile" (Widgets), "cache" (Blobs, whole), "metadata" (Blobs, their metadata only) or
// "sets" (Stacks; BENCH_RESYNC_MS is the period of their resync).
// It writes one JSON object a line: {"event":"started"} when its manager runs, {"event":"passed"} after BENCH_EXPECT passes
// of Blobs, and after SIGUSR2 {"event":"heap","bytes":N,"passes":N}, what is live after a collection
// and the passes over Stacks.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr/funcr"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintf(os.Stderr, "controller-runtime: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) }, funcr.Options{}))
	concurrency, err := strconv.Atoi(os.Getenv("BENCH_CONCURRENCY"))
	if err != nil {
		return fmt.Errorf("BENCH_CONCURRENCY must be a number of passes at once: %w", err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	scheme := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{clientgoscheme.AddToScheme, addToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	var caches cache.Options
	if os.Getenv("BENCH_TUNED") != "" {
		caches.DefaultTransform = cache.TransformStripManagedFields()
	}
	if text := os.Getenv("BENCH_RESYNC_MS"); text != "" {
		period, err := time.ParseDuration(text + "ms")
		if err != nil {
			return fmt.Errorf("BENCH_RESYNC_MS must be a number of milliseconds: %w", err)
		}
		caches.SyncPeriod = &period
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  caches,
		Metrics:                server.Options{BindAddress: "127.0.0.1:0"},
		HealthProbeBindAddress: "127.0.0.1:0",
	})
	if err != nil {
		return err
	}
	switch mode := os.Getenv("BENCH_MODE"); mode {
	case "reconcile":
		err = (&widgetReconciler{mgr.GetClient()}).setup(mgr, concurrency)
	case "sets":
		err = (&stackReconciler{mgr.GetClient()}).setup(mgr, concurrency)
	case "cache":
		err = holdBlobs(mgr, concurrency)
	case "metadata":
		err = holdBlobs(mgr, concurrency, builder.OnlyMetadata)
	default:
		err = fmt.Errorf("BENCH_MODE %q is not one of reconcile, cache, metadata, sets", mode)
	}
	if err != nil {
		return err
	}
	go tellHeap()
	go func() {
		if mgr.GetCache().WaitForCacheSync(ctx) {
			fmt.Println(`{"event":"started"}`)
		}
	}()
	return mgr.Start(ctx)
}

// holdBlobs is a controller whose passes do nothing.
func holdBlobs(mgr ctrl.Manager, concurrency int, options ...builder.ForOption) error {
	expect, err := strconv.ParseInt(os.Getenv("BENCH_EXPECT"), 10, 64)
	if err != nil {
		return fmt.Errorf("BENCH_EXPECT must be a number of objects: %w", err)
	}
	var passes atomic.Int64
	return ctrl.NewControllerManagedBy(mgr).
		For(&Blob{}, options...).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) {
			if passes.Add(1) == expect {
				fmt.Println(`{"event":"passed"}`)
			}
			return ctrl.Result{}, nil
		}))
}

func tellHeap() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	for range asked {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		fmt.Printf("{\"event\":\"heap\",\"bytes\":%d,\"passes\":%d}\n", stats.HeapAlloc, stackPasses.Load())
	}
}
