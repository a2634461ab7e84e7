// Command wire-test is a plugin for the suite of the wire: the parameter `answer` decides what it does. It is served like kube-postgres.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"example.com/kube-postgres/capability"
	"example.com/kube-postgres/serve"
	"github.com/hashicorp/go-hclog"
)

const parameterSchema = `{"type": "object", "properties": {"answer": {"type": "string", "default": "objects"}}}`

type echo struct {
	capability.UnimplementedCapabilityServer
	log hclog.Logger
}

func main() {
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, JSONFormat: true, Output: os.Stderr})
	serve.Serve(echo{log: log})
}

func (echo) Describe(context.Context, *capability.DescribeRequest) (*capability.DescribeResponse, error) {
	return &capability.DescribeResponse{
		Name:        "wire-test",
		Version:     "1.2.3",
		ApiVersions: &capability.ApiVersions{Oldest: "1.0", Newest: "1.0"},
		Category:    "test",
		Types:       []*capability.Type{{Name: "echo", Versions: []string{"1", "2"}, ParameterSchema: []byte(parameterSchema)}},
		Kinds:       []*capability.Kind{{Version: "v1", Kind: "ConfigMap"}},
	}, nil
}

func (e echo) Plan(ctx context.Context, request *capability.PlanRequest) (*capability.PlanResponse, error) {
	var parameters struct {
		Answer string `json:"answer"`
	}
	if err := json.Unmarshal(request.Parameters, &parameters); err != nil {
		return nil, err
	}
	switch parameters.Answer {
	case "problems":
		problem := &capability.Problem{Path: "spec.parameters.answer", Message: "problems are requested"}
		return &capability.PlanResponse{Answer: &capability.PlanResponse_Problems{
			Problems: &capability.Problems{Problems: []*capability.Problem{problem}},
		}}, nil
	case "error":
		after := uint32(1500)
		return failure(&capability.PlanError{Code: "Busy", Message: "it is busy", RetryAfterMs: &after}), nil
	case "terminal":
		return failure(&capability.PlanError{Code: "Impossible", Message: "it is impossible", Terminal: true}), nil
	case "logs":
		e.log.Trace("a trace")
		e.log.Debug("a detail")
		e.log.Info("a fact", "number", 7)
		e.log.Warn("a warning")
		e.log.Error("a failure")
		fmt.Println("a printed line")
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return objects(request), nil
}

func failure(err *capability.PlanError) *capability.PlanResponse {
	return &capability.PlanResponse{Answer: &capability.PlanResponse_Error{Error: err}}
}

// objects returns two objects of one kind. The first has what arrived.
func objects(request *capability.PlanRequest) *capability.PlanResponse {
	ids := []string{}
	for _, each := range request.Live {
		ids = append(ids, each.Id)
	}
	no := false
	first, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]string{
		"ownerBytes": strconv.Itoa(len(request.Owner)),
		"version":    request.Version,
		"live":       strings.Join(ids, " "),
		"text":       "Grüße \u2028 \U0001F40A",
	}})
	dependents := []*capability.Dependent{
		{Id: "first", Object: first, Config: &capability.Config{Updated: &no}},
		{
			Id:     "second",
			Object: []byte(`{"apiVersion":"v1","kind":"ConfigMap"}`),
			Config: &capability.Config{Owned: &no, Created: &no, Watched: &no, CheckedForReadiness: &no},
			State: &capability.State{
				Type: "Failed", Reason: "Broken", Message: "it is broken",
				Attributes: []*capability.Attribute{{Name: "color", Value: "red"}},
			},
		},
	}
	return &capability.PlanResponse{Answer: &capability.PlanResponse_Dependents{Dependents: &capability.Dependents{Dependents: dependents}}}
}
