package main

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/kube-postgres/capability"
)

// owner is what the plan needs of the custom resource.
type owner struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

type parameters struct {
	StorageGb int32 `json:"storageGb"`
}

type object = map[string]any

// Plan is a pure function: it reads and writes nothing.
func (postgres) Plan(_ context.Context, request *capability.PlanRequest) (*capability.PlanResponse, error) {
	var owner owner
	if err := json.Unmarshal(request.Owner, &owner); err != nil {
		return nil, fmt.Errorf("cannot read the owner: %w", err)
	}
	var parameters parameters
	if err := json.Unmarshal(request.Parameters, &parameters); err != nil {
		return nil, fmt.Errorf("cannot read the parameters: %w", err)
	}
	name, isNotUpdated := owner.Metadata.Name, false
	dependents := []*capability.Dependent{
		{
			Id:     "credentials",
			Object: encoded("v1", "Secret", object{"stringData": object{"user": name}}),
			Config: &capability.Config{Updated: &isNotUpdated},
		},
		{Id: "server", Object: encoded("apps/v1", "StatefulSet", object{"spec": serverOf(name, request.Version, parameters)})},
		{
			Id: "address",
			Object: encoded("v1", "Service", object{
				"spec": object{"selector": labelsOf(name), "ports": []object{{"port": 5432}}},
			}),
			State: stateOf(request.Live),
		},
	}
	return &capability.PlanResponse{
		Answer: &capability.PlanResponse_Dependents{Dependents: &capability.Dependents{Dependents: dependents}},
	}, nil
}

func labelsOf(name string) object {
	return object{"app.kubernetes.io/name": "postgresql", "app.kubernetes.io/instance": name}
}

func serverOf(name, version string, parameters parameters) object {
	if version == "" {
		version = "17"
	}
	user := object{"secretKeyRef": object{"name": name + "-credentials", "key": "user"}}
	container := object{
		"name":  "postgresql",
		"image": "postgres:" + version,
		// A plan has no passwords: it is a pure function.
		"env": []object{
			{"name": "POSTGRES_USER", "valueFrom": user},
			{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"},
		},
		"ports":        []object{{"containerPort": 5432}},
		"volumeMounts": []object{{"name": "data", "mountPath": "/var/lib/postgresql/data"}},
	}
	storage := object{"requests": object{"storage": fmt.Sprintf("%dGi", parameters.StorageGb)}}
	return object{
		"serviceName":          name + "-address",
		"selector":             object{"matchLabels": labelsOf(name)},
		"template":             object{"metadata": object{"labels": labelsOf(name)}, "spec": object{"containers": []object{container}}},
		"volumeClaimTemplates": []object{{"metadata": object{"name": "data"}, "spec": object{"accessModes": []string{"ReadWriteOnce"}, "resources": storage}}},
	}
}

// stateOf judges the Service: it is ready when it has an address.
func stateOf(live []*capability.LiveObject) *capability.State {
	for _, each := range live {
		var service struct {
			Spec struct {
				ClusterIP string `json:"clusterIP"`
			} `json:"spec"`
		}
		if each.Id == "address" && json.Unmarshal(each.Object, &service) == nil && service.Spec.ClusterIP != "" {
			return &capability.State{Type: "Ready", Reason: "Ready"}
		}
	}
	return &capability.State{Type: "Pending", Reason: "NotReady", Message: "it has no address yet"}
}

func encoded(apiVersion, kind string, body object) []byte {
	body["apiVersion"], body["kind"] = apiVersion, kind
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // Maps, lists and texts have a JSON form.
	}
	return encoded
}
