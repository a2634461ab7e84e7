package main

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"example.com/kube-postgres/capability"
	"google.golang.org/protobuf/encoding/protojson"
)

// planned is a dependent in plans.json.
type planned struct {
	ID     string          `json:"id"`
	Object any             `json:"object"`
	Config map[string]bool `json:"config"`
	State  json.RawMessage `json:"state"`
}

// TestPlans compares the plans with those of the plugins in other languages.
func TestPlans(t *testing.T) {
	content, err := os.ReadFile("../plans.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string `json:"name"`
		Request struct {
			Type       string          `json:"type"`
			Version    string          `json:"version"`
			Owner      json.RawMessage `json:"owner"`
			Parameters json.RawMessage `json:"parameters"`
			Live       []struct {
				ID     string          `json:"id"`
				Object json.RawMessage `json:"object"`
			} `json:"live"`
		} `json:"request"`
		Dependents []planned `json:"dependents"`
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	for _, each := range cases {
		t.Run(each.Name, func(t *testing.T) {
			request := &capability.PlanRequest{
				Type: each.Request.Type, Version: each.Request.Version, Owner: each.Request.Owner, Parameters: each.Request.Parameters,
			}
			for _, live := range each.Request.Live {
				request.Live = append(request.Live, &capability.LiveObject{Id: live.ID, Object: live.Object})
			}
			response, err := postgres{}.Plan(context.Background(), request)
			if err != nil {
				t.Fatal(err)
			}
			if got := plannedBy(t, response); !reflect.DeepEqual(parsed(t, got), parsed(t, each.Dependents)) {
				t.Errorf("got %s", encodedFor(t, got))
			}
		})
	}
}

func plannedBy(t *testing.T, response *capability.PlanResponse) []planned {
	all := []planned{}
	for _, each := range response.GetDependents().GetDependents() {
		config := map[string]bool{}
		if each.GetConfig() != nil && each.GetConfig().Updated != nil {
			config["updated"] = each.GetConfig().GetUpdated()
		}
		dependent := planned{ID: each.GetId(), Config: config}
		if err := json.Unmarshal(each.GetObject(), &dependent.Object); err != nil {
			t.Fatal(err)
		}
		if each.GetState() != nil {
			state, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(each.GetState())
			if err != nil {
				t.Fatal(err)
			}
			dependent.State = state
		}
		all = append(all, dependent)
	}
	return all
}

func encodedFor(t *testing.T, value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// parsed returns the value as JSON, without the attributes that no state has.
func parsed(t *testing.T, dependents []planned) any {
	var all []map[string]any
	if err := json.Unmarshal(encodedFor(t, dependents), &all); err != nil {
		t.Fatal(err)
	}
	for _, each := range all {
		if state, has := each["state"].(map[string]any); has {
			delete(state, "attributes")
		}
	}
	return all
}
