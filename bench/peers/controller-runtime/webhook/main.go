// The validation of packages/webhooks/bench/programs/kinds.ts with controller-runtime.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/go-logr/logr"
)

var groupVersion = schema.GroupVersion{Group: "bench.treadle.dev", Version: "v1"}

// Line is one of many, so that the object has 10 KB.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// SiteSpec is what is validated.
type SiteSpec struct {
	Host     string `json:"host,omitempty"`
	Replicas int32  `json:"replicas,omitempty"`
	Lines    []Line `json:"lines"`
}

// Site is the kind of the benchmark.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec `json:"spec"`
}

// DeepCopyObject is for the scheme; nothing here copies.
func (s *Site) DeepCopyObject() runtime.Object {
	copied := *s
	return &copied
}

type validator struct{}

func (validator) ValidateCreate(_ context.Context, site *Site) (admission.Warnings, error) {
	if site.Spec.Replicas <= 10 {
		return nil, nil
	}
	problem := field.Invalid(field.NewPath("spec", "replicas"), site.Spec.Replicas, "at most 10")
	return nil, apierrors.NewInvalid(groupVersion.WithKind("Site").GroupKind(), site.Name, field.ErrorList{problem})
}

func (v validator) ValidateUpdate(ctx context.Context, _, site *Site) (admission.Warnings, error) {
	return v.ValidateCreate(ctx, site)
}

func (validator) ValidateDelete(context.Context, *Site) (admission.Warnings, error) {
	return nil, nil
}

// The arguments are the port and the folder with tls.crt and tls.key.
func main() {
	log.SetLogger(logr.Discard())
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Site{})
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[2]})
	server.Register("/validate/bench.treadle.dev/sites", admission.WithValidator[*Site](scheme, validator{}))
	fmt.Println("starting")
	if err := server.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
