package main

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
	stackFinalizer  = "bench.treadle.dev/stacks"
	stackFieldOwner = client.FieldOwner("stacks")
	stackMaps       = 8
)

// stackPasses counts passes, for the harness.
var stackPasses atomic.Int64

// stackReconciler keeps eight ConfigMaps, a Service and a ServiceAccount for each Stack.
type stackReconciler struct{ client.Client }

func (r *stackReconciler) setup(mgr ctrl.Manager, concurrency int) error {
	// A resync has the same generation, and must not be dropped.
	resyncs := predicate.ResourceVersionChangedPredicate{}
	return ctrl.NewControllerManagedBy(mgr).
		For(&Stack{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Not(resyncs)))).
		Owns(&corev1.ConfigMap{}).Owns(&corev1.Service{}).Owns(&corev1.ServiceAccount{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(r)
}

// Reconcile asks for nothing that the cache shows to exist.
func (r *stackReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	stackPasses.Add(1)
	stack := &Stack{}
	if err := r.Get(ctx, req.NamespacedName, stack); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !stack.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, stack)
	}
	if controllerutil.AddFinalizer(stack, stackFinalizer) {
		if err := r.Update(ctx, stack); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.keepObjects(ctx, stack); err != nil {
		return ctrl.Result{}, err
	}
	before := stack.DeepCopy()
	stack.Status.ObservedGeneration = stack.Generation
	meta.SetStatusCondition(&stack.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "AsDesired", ObservedGeneration: stack.Generation,
	})
	if equality.Semantic.DeepEqual(before.Status, stack.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Patch(ctx, stack, client.MergeFrom(before))
}

func (r *stackReconciler) keepObjects(ctx context.Context, stack *Stack) error {
	owner := metav1ac.OwnerReference().WithAPIVersion(GroupVersion.String()).WithKind("Stack").
		WithName(stack.Name).WithUID(stack.UID).WithController(true).WithBlockOwnerDeletion(true)
	for i := range stackMaps {
		name, data := mapName(stack, i), map[string]string{"text": stack.Spec.Text, "part": fmt.Sprint(i)}
		wanted := corev1ac.ConfigMap(name, stack.Namespace).WithData(data).WithOwnerReferences(owner)
		present := &corev1.ConfigMap{}
		if err := r.keep(ctx, stack, name, present, wanted, func() bool { return maps.Equal(present.Data, data) }); err != nil {
			return err
		}
	}
	account := corev1ac.ServiceAccount(stack.Name, stack.Namespace).WithOwnerReferences(owner)
	if err := r.keep(ctx, stack, stack.Name, &corev1.ServiceAccount{}, account, func() bool { return true }); err != nil {
		return err
	}
	selector := map[string]string{"stack": stack.Name}
	service := corev1ac.Service(stack.Name, stack.Namespace).WithOwnerReferences(owner).WithSpec(corev1ac.ServiceSpec().
		WithClusterIP("None").WithSelector(selector).WithPorts(corev1ac.ServicePort().WithPort(80)))
	present := &corev1.Service{}
	return r.keep(ctx, stack, stack.Name, present, service, func() bool {
		return maps.Equal(present.Spec.Selector, selector) && len(present.Spec.Ports) == 1 && present.Spec.Ports[0].Port == 80
	})
}

// keep applies an object that the cache lacks, or that differs.
func (r *stackReconciler) keep(ctx context.Context, stack *Stack, name string, present client.Object, wanted runtime.ApplyConfiguration, isAsWanted func() bool) error {
	err := r.Get(ctx, client.ObjectKey{Namespace: stack.Namespace, Name: name}, present)
	if err == nil && metav1.IsControlledBy(present, stack) && isAsWanted() {
		return nil
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	return r.Apply(ctx, wanted, stackFieldOwner, client.ForceOwnership)
}

func (r *stackReconciler) cleanUp(ctx context.Context, stack *Stack) error {
	at := metav1.ObjectMeta{Namespace: stack.Namespace, Name: stack.Name}
	objects := []client.Object{&corev1.Service{ObjectMeta: at}, &corev1.ServiceAccount{ObjectMeta: at}}
	for i := range stackMaps {
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: stack.Namespace, Name: mapName(stack, i)}})
	}
	for _, object := range objects {
		if err := r.Delete(ctx, object); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if !controllerutil.RemoveFinalizer(stack, stackFinalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Update(ctx, stack))
}

func mapName(stack *Stack, i int) string { return fmt.Sprintf("%s-%d", stack.Name, i) }
