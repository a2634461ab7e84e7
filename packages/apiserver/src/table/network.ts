/** Rows of network kinds, by the id of their kind (pkg/printers/internalversion of Kubernetes). */
import type { JsonObject } from "../internal/json.ts";
import { annotation, formatLabels, ingressAddresses, orNone, withMore } from "./format.ts";
import type { Printer } from "./printer.ts";
import { at, listAt, numberAt, textAt, textsAt } from "../internal/read.ts";

const MAX_SHOWN = 3;

export const NETWORK: Readonly<Record<string, Printer>> = {
  services: (object, { name, age }) => [
    name,
    textAt(object, "spec", "type"),
    orNone(textsAt(object, "spec", "clusterIPs")[0] ?? textAt(object, "spec", "clusterIP")),
    externalAddress(object),
    orNone(servicePorts(object)),
    age,
    formatLabels(at(object, "spec", "selector")),
  ],
  endpoints: (object, { name, age }) => [name, endpointsText(object), age],
  "endpointslices.discovery.k8s.io": (object, { name, age }) => {
    const ports = listAt(object, "ports").map((port) =>
      at(port, "port") === undefined ? textAt(port, "name") || "*" : String(port["port"]),
    );
    const addresses = listAt(object, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"));
    return [name, textAt(object, "addressType"), withMore(ports, MAX_SHOWN, "<unset>"), withMore(addresses, MAX_SHOWN, "<unset>"), age];
  },
  "ingresses.networking.k8s.io": (object, { name, age }) => [
    name,
    orNone(textAt(object, "spec", "ingressClassName")),
    hosts(object),
    ingressAddresses(object),
    listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
    age,
  ],
  "ingressclasses.networking.k8s.io": (object, { name, age }) => {
    const parameters = at(object, "spec", "parameters");
    const group = textAt(parameters, "apiGroup");
    const kind = `${textAt(parameters, "kind")}${group === "" ? "" : `.${group}`}`;
    const isDefault = annotation(object, "ingressclass.kubernetes.io/is-default-class") === "true";
    return [
      isDefault ? `${name} (default)` : name,
      textAt(object, "spec", "controller"),
      parameters === undefined ? "<none>" : `${kind}/${textAt(parameters, "name")}`,
      age,
    ];
  },
};

function externalAddress(service: JsonObject): string {
  const own = textsAt(service, "spec", "externalIPs").join(",");
  switch (textAt(service, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return orNone(own);
    case "LoadBalancer":
      return [ingressAddresses(service), own].filter((part) => part !== "").join(",") || "<pending>";
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

function servicePorts(service: JsonObject): string {
  return listAt(service, "spec", "ports")
    .map((port) => {
      const node = numberAt(port, "nodePort");
      return `${numberAt(port, "port")}${node > 0 ? `:${node}` : ""}/${textAt(port, "protocol") || "TCP"}`;
    })
    .join(",");
}

function hosts(ingress: JsonObject): string {
  const rules = listAt(ingress, "spec", "rules");
  const named: string[] = [];
  let isMore = false;
  for (const rule of rules) {
    if (named.length === MAX_SHOWN) isMore = true;
    const host = textAt(rule, "host");
    if (!isMore && host !== "") named.push(host);
  }
  if (named.length === 0) return "*";
  return isMore ? `${named.join(",")} + ${rules.length - MAX_SHOWN} more...` : named.join(",");
}

function endpointsText(endpoints: JsonObject): string {
  const subsets = listAt(endpoints, "subsets");
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports");
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port")}`));
  });
  return withMore(all, MAX_SHOWN, "");
}
