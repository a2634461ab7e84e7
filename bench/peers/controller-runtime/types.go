package main

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of both kinds; the harness installs their CRDs.
var GroupVersion = schema.GroupVersion{Group: "bench.treadle.dev", Version: "v1"}

// Widget asks for a ConfigMap with its text.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec is what the harness changes.
type WidgetSpec struct {
	Size int32  `json:"size"`
	Text string `json:"text"`
}

// WidgetStatus is what the harness waits for.
type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// WidgetList is a list of Widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// Stack asks for ten objects with its text.
type Stack struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              StackSpec    `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// StackSpec is the text of a Stack.
type StackSpec struct {
	Text string `json:"text"`
}

// StackList is a list of Stacks.
type StackList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Stack `json:"items"`
}

// Blob is an object of some 5 KB that is only held.
type Blob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              BlobSpec `json:"spec"`
}

// BlobSpec is a list as long as that of a large pod's variables.
type BlobSpec struct {
	Entries []BlobEntry `json:"entries"`
}

// BlobEntry is one of them.
type BlobEntry struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Weight int32  `json:"weight"`
}

// BlobList is a list of Blobs.
type BlobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Blob `json:"items"`
}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Widget{}, &WidgetList{}, &Blob{}, &BlobList{}, &Stack{}, &StackList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// DeepCopyInto is what a generator would write.
func (in *Widget) DeepCopyInto(out *Widget) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Status.DeepCopyInto(&out.Status)
}

// DeepCopyInto is what a generator would write.
func (in *WidgetStatus) DeepCopyInto(out *WidgetStatus) {
	*out = *in
	if in.Conditions != nil {
		out.Conditions = make([]metav1.Condition, len(in.Conditions))
		for i := range in.Conditions {
			in.Conditions[i].DeepCopyInto(&out.Conditions[i])
		}
	}
}

// DeepCopy returns a copy.
func (in *Widget) DeepCopy() *Widget {
	out := new(Widget)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject makes it a runtime.Object.
func (in *Widget) DeepCopyObject() runtime.Object { return in.DeepCopy() }

// DeepCopyObject makes it a runtime.Object.
func (in *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: in.TypeMeta, Items: make([]Widget, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto is what a generator would write.
func (in *Stack) DeepCopyInto(out *Stack) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Status.DeepCopyInto(&out.Status)
}

// DeepCopy returns a copy.
func (in *Stack) DeepCopy() *Stack {
	out := new(Stack)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject makes it a runtime.Object.
func (in *Stack) DeepCopyObject() runtime.Object { return in.DeepCopy() }

// DeepCopyObject makes it a runtime.Object.
func (in *StackList) DeepCopyObject() runtime.Object {
	out := &StackList{TypeMeta: in.TypeMeta, Items: make([]Stack, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto is what a generator would write.
func (in *Blob) DeepCopyInto(out *Blob) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Entries = slices.Clone(in.Spec.Entries)
}

// DeepCopyObject makes it a runtime.Object.
func (in *Blob) DeepCopyObject() runtime.Object {
	out := new(Blob)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject makes it a runtime.Object.
func (in *BlobList) DeepCopyObject() runtime.Object {
	out := &BlobList{TypeMeta: in.TypeMeta, Items: make([]Blob, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
