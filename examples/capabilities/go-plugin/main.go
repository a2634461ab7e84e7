// Command kube-postgres is a plugin: it plans the objects of a PostgreSQL database.
package main

import (
	"context"

	"example.com/kube-postgres/capability"
	"example.com/kube-postgres/serve"
)

const parameterSchema = `{
	"type": "object",
	"properties": {"storageGb": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "default": 1}},
	"additionalProperties": false
}`

type postgres struct {
	capability.UnimplementedCapabilityServer
}

func main() {
	serve.Serve(postgres{})
}

func (postgres) Describe(context.Context, *capability.DescribeRequest) (*capability.DescribeResponse, error) {
	return &capability.DescribeResponse{
		Name:        "kube-postgres",
		ApiVersions: &capability.ApiVersions{Oldest: "1.0", Newest: "1.0"},
		Category:    "database",
		Types: []*capability.Type{
			{Name: "postgresql", Versions: []string{"16", "17"}, ParameterSchema: []byte(parameterSchema)},
		},
		Kinds: []*capability.Kind{
			{Version: "v1", Kind: "Secret"},
			{Version: "v1", Kind: "Service"},
			{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		},
	}, nil
}
