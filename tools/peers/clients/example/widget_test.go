// Package example is a controller on controller-runtime, and its test.
package example

import (
	"context"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.dev/config-map"

type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := newWidget()
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	if widget.GetDeletionTimestamp() != nil {
		if err := client.IgnoreNotFound(r.Delete(ctx, config)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(widget, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, widget))
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		if err := r.Update(ctx, widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	size, _, err := unstructured.NestedInt64(widget.Object, "spec", "size")
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"size": strconv.FormatInt(size, 10)}
		return nil
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(widget.Object, true, "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, widget)
}

func newWidget() *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Widget"})
	return widget
}

func TestWidget(t *testing.T) {
	ctx := t.Context()
	config := ctrl.GetConfigOrDie() // of KUBECONFIG
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metrics.Options{BindAddress: "0"}})
	must(t, err)
	must(t, ctrl.NewControllerManagedBy(manager).Named("widget").For(newWidget()).Complete(reconciler{manager.GetClient()}))
	go func() {
		if err := manager.Start(ctx); err != nil {
			t.Errorf("the manager ended: %v", err)
		}
	}()

	c, err := client.New(config, client.Options{})
	must(t, err)
	must(t, c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "controller-runtime"}}))
	key := client.ObjectKey{Namespace: "controller-runtime", Name: "one"}
	widget := newWidget()
	widget.SetNamespace(key.Namespace)
	widget.SetName(key.Name)
	must(t, unstructured.SetNestedField(widget.Object, int64(3), "spec", "size"))
	must(t, c.Create(ctx, widget))
	eventually(t, "a ConfigMap of size 3", func() bool { return sizeOf(ctx, c, key) == "3" })
	eventually(t, "a status", func() bool {
		must(t, c.Get(ctx, key, widget))
		ready, _, _ := unstructured.NestedBool(widget.Object, "status", "ready")
		return ready
	})

	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":4}}`))
	must(t, c.Patch(ctx, widget, patch))
	eventually(t, "a ConfigMap of size 4", func() bool { return sizeOf(ctx, c, key) == "4" })

	must(t, c.Delete(ctx, widget))
	eventually(t, "no Widget", func() bool { return apierrors.IsNotFound(c.Get(ctx, key, widget)) })
	if size := sizeOf(ctx, c, key); size != "" {
		t.Errorf("the ConfigMap of a deleted Widget has the size %s", size)
	}
}

func sizeOf(ctx context.Context, c client.Client, key client.ObjectKey) string {
	config := &corev1.ConfigMap{}
	if err := c.Get(ctx, key, config); err != nil {
		return ""
	}
	return config.Data["size"]
}

func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	check := func(context.Context) (bool, error) { return isTrue(), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 20*time.Second, true, check); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
