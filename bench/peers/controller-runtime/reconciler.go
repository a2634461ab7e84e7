package main

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	finalizer  = "bench.treadle.dev/widgets"
	fieldOwner = client.FieldOwner("widgets")
)

// widgetReconciler keeps a ConfigMap for each Widget, and says in its status that it is there.
type widgetReconciler struct{ client.Client }

func (r *widgetReconciler) setup(mgr ctrl.Manager, concurrency int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(r)
}

// Reconcile asks for nothing that the cache shows to be there: as few requests as the usual code can do with.
func (r *widgetReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, req.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, widget)
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		if err := r.Update(ctx, widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.keepConfigMap(ctx, widget); err != nil {
		return ctrl.Result{}, err
	}
	before := widget.DeepCopy()
	widget.Status.ObservedGeneration = widget.Generation
	for _, name := range []string{"ConfigReady", "Ready"} {
		meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionTrue, Reason: "AsDesired", ObservedGeneration: widget.Generation,
		})
	}
	if equality.Semantic.DeepEqual(before.Status, widget.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Patch(ctx, widget, client.MergeFrom(before))
}

func (r *widgetReconciler) keepConfigMap(ctx context.Context, widget *Widget) error {
	data := map[string]string{"text": widget.Spec.Text}
	present := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKeyFromObject(widget), present)
	if err == nil && maps.Equal(present.Data, data) && metav1.IsControlledBy(present, widget) {
		return nil
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	wanted := corev1ac.ConfigMap(widget.Name, widget.Namespace).WithData(data).WithOwnerReferences(
		metav1ac.OwnerReference().WithAPIVersion(GroupVersion.String()).WithKind("Widget").
			WithName(widget.Name).WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true))
	return r.Apply(ctx, wanted, fieldOwner, client.ForceOwnership)
}

func (r *widgetReconciler) cleanUp(ctx context.Context, widget *Widget) error {
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name}}
	if err := r.Delete(ctx, configMap); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if !controllerutil.RemoveFinalizer(widget, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Update(ctx, widget))
}
