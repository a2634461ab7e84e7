// Package serve connects a capability to its operator, by hashicorp/go-plugin as it is.
package serve

//go:generate protoc -I ../../../../packages/plugins/proto --go_out=.. --go-grpc_out=.. --go_opt=module=example.com/kube-postgres,Mtreadle/capability/v1.proto=example.com/kube-postgres/capability --go-grpc_opt=module=example.com/kube-postgres,Mtreadle/capability/v1.proto=example.com/kube-postgres/capability treadle/capability/v1.proto

import (
	"context"
	"errors"

	"example.com/kube-postgres/capability"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Serve answers the operator that started the program, until the operator ends it. Started by hand it explains itself and ends.
func Serve(server capability.CapabilityServer) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion:  1,
			MagicCookieKey:   "TREADLE_PLUGIN",
			MagicCookieValue: "treadle.dev/capability",
		},
		Plugins:    plugin.PluginSet{"capability": served{server: server}},
		GRPCServer: plugin.DefaultGRPCServer,
	})
}

type served struct {
	plugin.NetRPCUnsupportedPlugin
	server capability.CapabilityServer
}

func (s served) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	capability.RegisterCapabilityServer(server, s.server)
	return nil
}

func (served) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("the operator is the client")
}
