/** Services, and kinds that lead to them. */
import type { Table } from "./table.ts";
import { metadataLines } from "./pods.ts";

export const networkTables: readonly Table[] = [
  {
    apiVersion: "v1",
    kind: "Service",
    plural: "services",
    base: { spec: { selector: { app: "a" }, ports: [{ name: "http", port: 80 }] } },
    created: `
      ${metadataLines}
      spec.ports = []
      spec.ports -
      spec.ports = [] ; spec.clusterIP = "None"
      spec.ports[0].port = 0
      spec.ports[0].port = 65536
      spec.ports[0].port = -1
      spec.ports[0].name = "HTTP"
      spec.ports[0].name = "a.b"
      spec.ports[0].name = ""
      spec.ports[0].name = long(64)
      spec.ports[0].protocol = "HTTP"
      spec.ports[0].targetPort = 65536
      spec.ports[0].targetPort = "HTTP_"
      spec.ports[0].targetPort = "http"
      spec.ports[0].targetPort = -1
      spec.ports[0].nodePort = 30080
      spec.ports[0].nodePort = -1
      spec.ports[0].appProtocol = "a b"
      spec.ports[0].appProtocol = "kubernetes.io/h2c"
      spec.ports[+] = {"name": "http", "port": 81}
      spec.ports[+] = {"port": 81}
      spec.ports[+] = {"name": "two", "port": 80}
      spec.ports[+] = {"name": "udp", "port": 80, "protocol": "UDP"}
      spec.selector = {"a b": "c"}
      spec.selector = {"a": "b c"}
      spec.type = "Odd"
      spec.type = "ExternalName"
      spec.type = "ExternalName" ; spec.externalName = "A_"
      spec.type = "ExternalName" ; spec.externalName = "example.com"
      spec.type = "ExternalName" ; spec.externalName = "example.com." ; spec.ports -
      spec.type = "ExternalName" ; spec.externalName = "example.com" ; spec.clusterIP = "None"
      spec.type = "ExternalName" ; spec.externalName = "example.com" ; spec.clusterIP = "10.96.5.5"
      spec.type = "NodePort"
      spec.type = "NodePort" ; spec.clusterIP = "None"
      spec.type = "NodePort" ; spec.ports[0].nodePort = 80
      spec.type = "NodePort" ; spec.ports[0].nodePort = 99999
      spec.type = "LoadBalancer"
      spec.type = "LoadBalancer" ; spec.clusterIP = "None"
      spec.type = "LoadBalancer" ; spec.loadBalancerSourceRanges = ["x"]
      spec.type = "LoadBalancer" ; spec.loadBalancerSourceRanges = ["1.2.3.0/24"]
      spec.loadBalancerSourceRanges = ["1.2.3.0/24"]
      spec.type = "LoadBalancer" ; spec.loadBalancerIP = "x"
      spec.type = "LoadBalancer" ; spec.loadBalancerIP = "1.2.3.4"
      spec.type = "LoadBalancer" ; spec.loadBalancerClass = "A b"
      spec.type = "LoadBalancer" ; spec.loadBalancerClass = "example.com/lb"
      spec.loadBalancerClass = "example.com/lb"
      spec.allocateLoadBalancerNodePorts = true
      spec.clusterIP = "x"
      spec.clusterIP = "None"
      spec.clusterIPs = ["x"]
      spec.clusterIPs = ["None", "None"]
      spec.clusterIPs = ["10.96.5.6", "10.96.5.7"]
      spec.clusterIP = "10.96.5.6" ; spec.clusterIPs = ["10.96.5.7"]
      spec.ipFamilies = ["IPv5"]
      spec.ipFamilies = ["IPv4", "IPv4"]
      spec.ipFamilies = ["IPv6"]
      spec.ipFamilyPolicy = "Odd"
      spec.ipFamilyPolicy = "RequireDualStack"
      spec.ipFamilyPolicy = "PreferDualStack"
      spec.sessionAffinity = "Odd"
      spec.sessionAffinity = "ClientIP"
      spec.sessionAffinity = "ClientIP" ; spec.sessionAffinityConfig = {"clientIP": {"timeoutSeconds": 0}}
      spec.sessionAffinity = "ClientIP" ; spec.sessionAffinityConfig = {"clientIP": {"timeoutSeconds": 90000}}
      spec.sessionAffinityConfig = {"clientIP": {"timeoutSeconds": 5}}
      spec.externalIPs = ["x"]
      spec.externalIPs = ["127.0.0.1"]
      spec.externalIPs = ["1.2.3.4"]
      spec.externalTrafficPolicy = "Local"
      spec.type = "NodePort" ; spec.externalTrafficPolicy = "Odd"
      spec.type = "NodePort" ; spec.externalTrafficPolicy = "Local"
      spec.internalTrafficPolicy = "Odd"
      spec.internalTrafficPolicy = "Local"
      spec.healthCheckNodePort = 30000
      spec.type = "LoadBalancer" ; spec.externalTrafficPolicy = "Local" ; spec.healthCheckNodePort = -5
      spec.publishNotReadyAddresses = true
      spec.trafficDistribution = "Odd"
      spec.trafficDistribution = "PreferClose"
    `,
    updated: `
      metadata.labels = {"a b": "c"}
      spec.ports[0].port = 81
      spec.ports[0].port = 0
      spec.ports = []
      spec.clusterIP = "10.96.77.77" ; spec.clusterIPs = ["10.96.77.77"]
      spec.clusterIP = "None" ; spec.clusterIPs = ["None"]
      spec.clusterIP = "" ; spec.clusterIPs -
      spec.type = "NodePort"
      spec.type = "LoadBalancer"
      spec.type = "ExternalName" ; spec.externalName = "a.b"
      spec.type = "ExternalName"
      spec.type = "Odd"
      spec.selector = {"b": "c"}
      spec.ipFamilies = ["IPv6"]
      spec.sessionAffinity = "ClientIP"
      spec.loadBalancerClass = "example.com/lb"
    `,
  },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    plural: "endpoints",
    base: { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] },
    created: `
      metadata.name = "A"
      subsets[0].addresses[0].ip = ""
      subsets[0].addresses[0].ip = "x"
      subsets[0].addresses[0].ip = "127.0.0.1"
      subsets[0].addresses[0].hostname = "A"
      subsets[0].ports[0].port = 0
      subsets[0].ports[0].name = "A"
      subsets[0].ports[0].protocol = "X"
      subsets[0].ports[+] = {"port": 81}
      subsets[0].addresses = []
    `,
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    base: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ name: "http", port: 80 }] },
    created: `
      metadata.name = "A"
      addressType -
      addressType = "Odd"
      addressType = "IPv6"
      addressType = "FQDN" ; endpoints[0].addresses = ["a.example.com"]
      endpoints[0].addresses = []
      endpoints[0].addresses = ["x"]
      endpoints[0].addresses = ["127.0.0.1"]
      endpoints[0].addresses = ["192.0.2.1", "192.0.2.1"]
      endpoints[0].hostname = "A"
      endpoints[0].nodeName = "A b"
      endpoints[0].deprecatedTopology = {"a b": "c"}
      ports[0].port = 0
      ports[0].port = 70000
      ports[0].name = "A"
      ports[0].protocol = "X"
      ports[0].appProtocol = "a b"
      ports[+] = {"name": "http", "port": 81}
    `,
    updated: `
      addressType = "IPv6" ; endpoints = []
      endpoints[0].addresses = ["192.0.2.2"]
      endpoints[0].addresses = ["x"]
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    plural: "ingresses",
    base: {
      spec: {
        ingressClassName: "c",
        tls: [{ hosts: ["a.example.com"], secretName: "t" }],
        rules: [
          {
            host: "a.example.com",
            http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] },
          },
        ],
      },
    },
    created: `
      metadata.name = "A"
      spec -
      spec.rules[0].host = "A"
      spec.rules[0].host = "*.example.com"
      spec.rules[0].host = "*"
      spec.rules[0].host = "a.*.com"
      spec.rules[0].host = "1.2.3.4"
      spec.rules[0].http -
      spec.rules[0].http.paths = []
      spec.rules[0].http.paths[0].path = ""
      spec.rules[0].http.paths[0].path = "a"
      spec.rules[0].http.paths[0].path = "/a//b"
      spec.rules[0].http.paths[0].path = "/a/../b"
      spec.rules[0].http.paths[0].path = "/%2f"
      spec.rules[0].http.paths[0].pathType -
      spec.rules[0].http.paths[0].pathType = "Odd"
      spec.rules[0].http.paths[0].pathType = "ImplementationSpecific"
      spec.rules[0].http.paths[0].path = "" ; spec.rules[0].http.paths[0].pathType = "ImplementationSpecific"
      spec.rules[0].http.paths[0].backend = {}
      spec.rules[0].http.paths[0].backend.service = {}
      spec.rules[0].http.paths[0].backend.service = {"name": "A", "port": {"number": 80}}
      spec.rules[0].http.paths[0].backend.service = {"name": "s", "port": {}}
      spec.rules[0].http.paths[0].backend.service = {"name": "s", "port": {"number": 80, "name": "x"}}
      spec.rules[0].http.paths[0].backend.service = {"name": "s", "port": {"number": 70000}}
      spec.rules[0].http.paths[0].backend.service = {"name": "s", "port": {"name": "A"}}
      spec.rules[0].http.paths[0].backend.resource = {"kind": "K", "name": "n"}
      spec.rules[0].http.paths[0].backend = {"resource": {"kind": "", "name": ""}}
      spec.rules[0].http.paths[0].backend = {"resource": {"apiGroup": "a.b", "kind": "K", "name": "n"}}
      spec.defaultBackend = {}
      spec.defaultBackend = {"service": {"name": "s", "port": {"number": 80}}} ; spec.rules -
      spec.tls[0].hosts = ["A"]
      spec.tls[0].hosts = ["*.example.com"]
      spec.tls[0].secretName = "A"
      spec.ingressClassName = "A b"
      spec.ingressClassName = ""
      metadata.annotations = {"kubernetes.io/ingress.class": "x"}
      metadata.annotations = {"kubernetes.io/ingress.class": "x"} ; spec.ingressClassName -
    `,
    updated: `
      spec.ingressClassName = "other"
      spec.rules[0].host = "b.example.com"
      spec.rules[0].host = "A"
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    plural: "ingressclasses",
    isClusterWide: true,
    base: { spec: { controller: "example.com/c" } },
    created: `
      metadata.name = "A"
      spec.controller = ""
      spec.controller = "c"
      spec.controller = "a b/c"
      spec.controller = long(300)
      spec.parameters = {}
      spec.parameters = {"kind": "K", "name": "n"}
      spec.parameters = {"apiGroup": "A", "kind": "K", "name": "n"}
      spec.parameters = {"apiGroup": "a.b", "kind": "K/", "name": "n%"}
      spec.parameters = {"kind": "K", "name": "n", "scope": "Odd"}
      spec.parameters = {"kind": "K", "name": "n", "scope": "Namespace"}
      spec.parameters = {"kind": "K", "name": "n", "scope": "Cluster", "namespace": "x"}
      spec.parameters = {"kind": "K", "name": "n", "scope": "Namespace", "namespace": "x"}
    `,
    updated: `
      spec.controller = "example.com/d"
      spec.parameters = {"kind": "K", "name": "n"}
    `,
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    base: { spec: { podSelector: { matchLabels: { a: "b" } }, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] } },
    created: `
      metadata.name = "A"
      spec.podSelector = {"matchLabels": {"a b": "c"}}
      spec.podSelector = {"matchExpressions": [{"key": "a", "operator": "Odd"}]}
      spec.podSelector -
      spec.ingress[0].ports[0].port = 0
      spec.ingress[0].ports[0].port = 70000
      spec.ingress[0].ports[0].port = "A"
      spec.ingress[0].ports[0].protocol = "X"
      spec.ingress[0].ports[0].endPort = 70
      spec.ingress[0].ports[0].endPort = 90
      spec.ingress[0].ports[0] = {"port": "http", "endPort": 90}
      spec.ingress[0].ports[0] = {"endPort": 90}
      spec.ingress[0].from[0] = {}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": ""}}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": "x"}}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/16"]}}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["192.0.2.0/24"]}}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["x"]}}
      spec.ingress[0].from[0] = {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}
      spec.ingress[0].from[0] = {"namespaceSelector": {"matchLabels": {"a b": "c"}}}
      spec.egress = [{"to": [{}]}]
      spec.egress = [{"ports": [{"port": 70000}]}]
      spec.policyTypes = ["Odd"]
      spec.policyTypes = ["Ingress", "Egress", "Ingress"]
      spec.policyTypes = ["Ingress", "Egress"]
    `,
    updated: `
      spec.podSelector = {}
      spec.policyTypes = ["Odd"]
      metadata.labels = {"a b": "c"}
    `,
  },
];
