// Command informer runs client-go's shared informer against an API server and prints what it saw, one event a line, in
// the order in which it saw it. The same program before two servers must print the same: names instead of versions, and
// nothing that depends on how fast a server is.
//
//	informer -kubeconfig FILE -watchlist=true|false
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// patience is for what must come; nothing waits that long on a server that works.
const patience = 30 * time.Second

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	contentType := flag.String("content-type", "application/json", "of bodies, and of the answers that are asked for")
	watchList := flag.Bool("watchlist", true, "whether informers begin with a streaming list")
	flag.Parse()
	if err := run(*kubeconfig, *contentType, *watchList); err != nil {
		fmt.Fprintf(os.Stderr, "informer: %v\n", err)
		os.Exit(1)
	}
}

func run(kubeconfig, contentType string, watchList bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = contentType
	config.QPS = -1
	lines := &connections{}
	config.Wrap(lines.wrap)
	features.ReplaceFeatureGates(gates{features.FeatureGates(), watchList})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "informer-"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	story := &story{ctx: ctx, client: client, namespace: namespace.Name, lines: lines}
	if err := story.tell(); err != nil {
		return err
	}
	return client.CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{})
}

// gates are those of client-go but for streaming lists.
type gates struct {
	features.Gates
	watchList bool
}

func (g gates) Enabled(feature features.Feature) bool {
	if feature == features.WatchListClient {
		return g.watchList
	}
	return g.Gates.Enabled(feature)
}

// connections are the watches of the informers, which it can end: in good order, as a server does, or as a network breaks.
type connections struct {
	mutex sync.Mutex
	open  []*body
}

func (c *connections) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil || request.URL.Query().Get("watch") == "" {
			return response, err
		}
		c.mutex.Lock()
		defer c.mutex.Unlock()
		wrapped := &body{ReadCloser: response.Body}
		c.open = append(c.open, wrapped)
		response.Body = wrapped
		return response, nil
	})
}

func (c *connections) endAll(how error) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, one := range c.open {
		one.ended.Store(&how)
		one.Close()
	}
	count := len(c.open)
	c.open = nil
	return count
}

type body struct {
	io.ReadCloser
	ended atomic.Pointer[error]
}

func (b *body) Read(into []byte) (int, error) {
	count, err := b.ReadCloser.Read(into)
	if how := b.ended.Load(); err != nil && how != nil {
		err = *how
	}
	return count, err
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// story is what happens in one namespace while informers look on.
type story struct {
	ctx       context.Context
	client    kubernetes.Interface
	namespace string
	lines     *connections
}

const label = "of=informer"

func (s *story) tell() error {
	for _, name := range []string{"first", "second"} {
		if err := s.create(name); err != nil {
			return err
		}
	}
	all, err := s.start("all", 0, nil)
	if err != nil {
		return err
	}
	chosen, err := s.start("chosen", 0, func(options *metav1.ListOptions) { options.LabelSelector = "tier=web" })
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func() error
		// all and chosen are how many events each must see.
		all, chosen int
	}{
		{"create", func() error { return s.create("third") }, 1, 0},
		{"update", func() error { return s.patch("third", `{"data":{"n":"1"}}`) }, 1, 0},
		{"enters the selection", func() error { return s.patch("third", `{"metadata":{"labels":{"tier":"web"}}}`) }, 1, 1},
		{"changes within it", func() error { return s.patch("third", `{"data":{"n":"2"}}`) }, 1, 1},
		{"leaves it", func() error { return s.patch("third", `{"metadata":{"labels":{"tier":"db"}}}`) }, 1, 1},
		{"a patch that changes nothing", func() error { return s.patch("third", `{"data":{"n":"2"}}`) }, 0, 0},
		{"a dry run", func() error { return s.dryRun("never") }, 0, 0},
		{"delete and create again", func() error { return errors.Join(s.remove("first"), s.create("first")) }, 2, 0},
		{"deletion that waits", s.finalized, 3, 0},
		{"while the watches have ended", func() error { return s.whileEnded("fourth", io.EOF) }, 2, 1},
		{"while the connections are broken", func() error { return s.whileEnded("fifth", io.ErrUnexpectedEOF) }, 2, 1},
		{"many", s.many, 50, 50},
		{"all are deleted", s.removeAll, 54, 52},
	}
	for _, step := range steps {
		fmt.Printf("# %s\n", step.name)
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		// A last event of all shows that no more come than expected.
		for _, one := range []struct {
			*observer
			count int
		}{{all, step.all}, {chosen, step.chosen}} {
			if err := one.print(one.count); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
	}
	return errors.Join(all.end(), chosen.end(), s.resync(), s.future(), s.bookmarks())
}

func (s *story) create(name string) error {
	_, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(s.ctx, s.object(name), metav1.CreateOptions{})
	return err
}

func (s *story) object(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": "informer"}}, Data: map[string]string{"n": "0"}}
}

func (s *story) dryRun(name string) error {
	_, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(s.ctx, s.object(name), metav1.CreateOptions{DryRun: []string{"All"}})
	return err
}

func (s *story) patch(name, patch string) error {
	_, err := s.client.CoreV1().ConfigMaps(s.namespace).Patch(s.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (s *story) remove(name string) error {
	return s.client.CoreV1().ConfigMaps(s.namespace).Delete(s.ctx, name, metav1.DeleteOptions{})
}

func (s *story) finalized() error {
	return errors.Join(
		s.patch("second", `{"metadata":{"finalizers":["example.com/wait"]}}`),
		s.remove("second"),
		s.patch("second", `{"metadata":{"finalizers":null}}`),
	)
}

func (s *story) whileEnded(name string, how error) error {
	if s.lines.endAll(how) == 0 {
		return errors.New("there were no watches to end")
	}
	object := s.object(name)
	object.Labels["tier"] = "web"
	_, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(s.ctx, object, metav1.CreateOptions{})
	return errors.Join(err, s.patch("first", fmt.Sprintf(`{"data":{"n":%q}}`, name)))
}

func (s *story) many() error {
	for i := range 50 {
		object := s.object(fmt.Sprintf("many-%02d", i))
		object.Labels["tier"] = "web"
		if _, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(s.ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes one after the other: a deletion of the whole collection is in no order.
func (s *story) removeAll() error {
	list, err := s.client.CoreV1().ConfigMaps(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return err
	}
	for _, object := range list.Items {
		if err := s.remove(object.Name); err != nil {
			return err
		}
	}
	return nil
}

// observer is an informer and what it saw.
type observer struct {
	name   string
	events chan string
	stop   context.CancelFunc
	done   chan struct{}
}

func (s *story) start(name string, resync time.Duration, tweak func(*metav1.ListOptions)) (*observer, error) {
	ctx, stop := context.WithCancel(s.ctx)
	watcher := cache.NewFilteredListWatchFromClient(s.client.CoreV1().RESTClient(), "configmaps", s.namespace, func(options *metav1.ListOptions) {
		options.LabelSelector = label
		if tweak != nil {
			tweak(options)
		}
	})
	lw := cache.ToListWatcherWithWatchListSemantics(watcher, s.client)
	informer := cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, resync, cache.Indexers{})
	o := &observer{name: name, events: make(chan string, 1000), stop: stop, done: make(chan struct{})}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInInitialList bool) {
			o.events <- fmt.Sprintf("add %s initial=%t", describe(object), isInInitialList)
		},
		UpdateFunc: func(before, after any) {
			same := before.(*corev1.ConfigMap).ResourceVersion == after.(*corev1.ConfigMap).ResourceVersion
			o.events <- fmt.Sprintf("update %s -> %s same=%t", describe(before), describe(after), same)
		},
		DeleteFunc: func(object any) { o.events <- "delete " + describe(object) },
	})
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer close(o.done)
		informer.RunWithContext(ctx)
	}()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		stop()
		return nil, fmt.Errorf("informer %q did not fill", name)
	}
	fmt.Printf("# informer %q has %d objects\n", name, len(informer.GetStore().ListKeys()))
	return o, o.printSorted(len(informer.GetStore().ListKeys()))
}

func describe(object any) string {
	switch value := object.(type) {
	case cache.DeletedFinalStateUnknown:
		return "unknown:" + describe(value.Obj)
	case *corev1.ConfigMap:
		return fmt.Sprintf("%s(n=%s tier=%s finalizers=%d deleting=%t)", value.Name, value.Data["n"], value.Labels["tier"], len(value.Finalizers), value.DeletionTimestamp != nil)
	}
	return fmt.Sprintf("%T", object)
}

// next is one event more, or an error when none comes.
func (o *observer) next() (string, error) {
	select {
	case event := <-o.events:
		return event, nil
	case <-time.After(patience):
		return "", fmt.Errorf("informer %q waited %s for an event", o.name, patience)
	}
}

func (o *observer) print(count int) error {
	for range count {
		event, err := o.next()
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", o.name, event)
	}
	return nil
}

// printSorted is for what a list gives: its order is that of a map.
func (o *observer) printSorted(count int) error {
	events := []string{}
	for range count {
		event, err := o.next()
		if err != nil {
			return err
		}
		events = append(events, event)
	}
	slices.Sort(events)
	for _, event := range events {
		fmt.Printf("%s: %s\n", o.name, event)
	}
	return nil
}

// end stops the informer; what it saw beyond what was expected is an error.
func (o *observer) end() error {
	o.stop()
	<-o.done
	if len(o.events) > 0 {
		return fmt.Errorf("informer %q saw more: %s", o.name, <-o.events)
	}
	return nil
}

// resync gives what is there again, without a request.
func (s *story) resync() error {
	fmt.Println("# a resync")
	if err := s.create("resynced"); err != nil {
		return err
	}
	o, err := s.start("resync", time.Second, nil)
	if err != nil {
		return err
	}
	if err := o.print(1); err != nil {
		return err
	}
	o.stop()
	<-o.done
	return s.remove("resynced")
}

// future asks for a version that no server has yet. What is too old for one depends on when it last compacted.
func (s *story) future() error {
	fmt.Println("# a version that cannot be had")
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	now, err := strconv.ParseUint(list.ResourceVersion, 10, 64)
	if err != nil {
		return err
	}
	future := strconv.FormatUint(now+1_000_000, 10)
	_, err = maps.List(s.ctx, metav1.ListOptions{ResourceVersion: future})
	fmt.Printf("list: tooLarge=%t reason=%s\n", apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge), apierrors.ReasonForError(err))
	return nil
}

// bookmarks reads a streaming list by hand: what is there, then a bookmark that says so.
func (s *story) bookmarks() error {
	fmt.Println("# a streaming list")
	if err := s.create("listed"); err != nil {
		return err
	}
	yes, timeout := true, int64(60)
	watcher, err := s.client.CoreV1().ConfigMaps(s.namespace).Watch(s.ctx, metav1.ListOptions{
		SendInitialEvents:    &yes,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
		LabelSelector:        label,
		TimeoutSeconds:       &timeout,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		fmt.Printf("%s %s\n", event.Type, describeAny(event.Object))
		if event.Type == watch.Bookmark {
			return nil
		}
	}
	return errors.New("the streaming list ended without a bookmark")
}

func describeAny(object runtime.Object) string {
	if value, ok := object.(*corev1.ConfigMap); ok {
		return fmt.Sprintf("%s initialEventsEnd=%s version=%t", value.Name, value.Annotations[metav1.InitialEventsAnnotationKey], value.ResourceVersion != "")
	}
	return fmt.Sprintf("%T", object)
}
