/** Validates Services. */
import { isIP, isIPv6 } from "node:net";
import { jsonEqual } from "@treadle/apimachinery";
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { cidr, dnsLabel, ipAddress, labels, portNumber, portReference, protocol, publicIp, qualifiedName, subdomain } from "./formats.ts";
import { check, each, ifSet, mustBeOneOf, needed, oneOf, type Rule, type Spot } from "./spot.ts";

export function serviceErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (service) => {
    const spec = service.at("spec");
    const old = isObject(previous?.["spec"]) ? previous["spec"] : undefined;
    if (old !== undefined) {
      keptAddresses(spec, old);
      balancerClass(spec, old);
    }
    const before = spec.errorCount;
    serviceSpec(spec, old);
    if (old === undefined && spec.errorCount === before) oneStack(spec);
  });
}

/** Checks that a Service asks only for IPv4, which is all that the server has. */
function oneStack(spec: Spot): void {
  if (spec.get("type") === "ExternalName" || (isHeadless(spec) && !spec.at("selector").isSet)) return;
  const policy = spec.at("ipFamilyPolicy");
  if (policy.text === "RequireDualStack") policy.invalid("this cluster is not configured for dual-stack services");
  else for (const family of spec.at("ipFamilies").items) if (family.text !== "IPv4") family.invalid("not configured on this cluster");
}

const isHeadless = (spec: Spot): boolean => spec.get("clusterIP") === "None";

function serviceSpec(spec: Spot, old: JsonObject | undefined): void {
  const type = spec.at("type");
  const ports = spec.at("ports");
  if (ports.isEmpty && !isHeadless(spec) && type.text !== "ExternalName") ports.required();
  if ((type.text === "LoadBalancer" || type.text === "NodePort") && isHeadless(spec))
    spec.at("clusterIPs").named(`${spec.path}.clusterIPs[0]`).invalid(`may not be set to 'None' for ${type.text} services`, "None");
  if (type.text === "ExternalName") externalName(spec);
  servicePorts(spec);
  labels(spec.at("selector").named("spec.selector"));
  affinity(spec);
  addresses(spec);
  for (const ip of spec.at("externalIPs").items) {
    const before = ip.errorCount;
    ipAddress(ip);
    if (ip.errorCount === before) publicIp(ip);
  }
  mustBeOneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")(type);
  if (type.text === "ClusterIP")
    for (const port of ports.items)
      if (!port.at("nodePort").isEmpty) port.at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
  repeatedPorts(ports);
  balancer(spec);
  balancerClass(spec, old);
  traffic(spec);
}

function externalName(spec: Spot): void {
  const ips = spec.at("clusterIPs");
  if (!ips.isEmpty || !spec.at("clusterIP").isEmpty) ips.forbidden("may not be set for ExternalName services");
  const name = spec.at("externalName");
  if (name.isEmpty) name.required();
  else subdomain(name.withValue(name.text.replace(/\.$/, "")));
}

function servicePorts(spec: Spot): void {
  const ports = spec.at("ports").items;
  const names = new Set<string>();
  for (const port of ports) {
    const name = port.at("name");
    if (!name.isEmpty) {
      dnsLabel(name);
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    } else if (ports.length > 1) name.required();
    portNumber(port.at("port").isSet ? port.at("port") : port.at("port").withValue(0));
    protocol(port.at("protocol"));
    portReference(port.at("targetPort"));
    ifSet(qualifiedName)(port.at("appProtocol"));
  }
}

function repeatedPorts(ports: Spot): void {
  const [seen, nodePorts] = [new Set<string>(), new Set<string>()];
  for (const port of ports.items) {
    const nodePort = port.at("nodePort");
    const key = `${port.at("protocol").text}/${nodePort.number}`;
    if (!nodePort.isEmpty && nodePorts.has(key)) nodePort.duplicate();
    nodePorts.add(key);
  }
  for (const port of ports.items) {
    const [protocol, number] = [port.at("protocol").text, port.at("port").number];
    const key = `${protocol}/${number}`;
    if (seen.has(key))
      port.duplicate(new GoStruct({ Name: "", Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }));
    seen.add(key);
  }
}

function affinity(spec: Spot): void {
  const kind = spec.at("sessionAffinity");
  mustBeOneOf("ClientIP", "None")(kind);
  const seconds = spec.within("sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (kind.text === "ClientIP" && (seconds.number <= 0 || seconds.number > 86_400))
    seconds.invalid("must be greater than 0 and less than 86400", seconds.number);
}

const FAMILIES = ["IPv4", "IPv6"];

function addresses(spec: Spot): void {
  if (spec.get("type") === "ExternalName") return;
  const [first, ips, families] = [spec.at("clusterIP"), spec.at("clusterIPs"), spec.at("ipFamilies")];
  if (first.isEmpty) {
    if (!ips.isEmpty) ips.invalid("must be empty when `clusterIP` is not specified");
  } else if (ips.isEmpty) ips.required();
  else if (ips.items[0]?.value !== first.value) ips.invalid("first value must match `clusterIP`");
  const seen = new Set<string>();
  for (const family of families.items) {
    if (!FAMILIES.includes(family.text)) family.notSupported(FAMILIES);
    if (seen.has(family.text)) family.duplicate();
    seen.add(family.text);
  }
  oneOf("PreferDualStack", "RequireDualStack", "SingleStack")(spec.at("ipFamilyPolicy"));
  const before = spec.errorCount;
  for (const [i, ip] of ips.items.entries()) {
    if (i > 0 || ip.text !== "None") ipAddress(ip);
    else if (ips.items.length > 1) ips.invalid("'None' must be the first and only value");
  }
  if (ips.items.length > 2) ips.invalid("may only hold up to 2 values");
  if (spec.errorCount === before && !isHeadless(spec)) ofFamilies(ips, families);
}

function ofFamilies(ips: Spot, families: Spot): void {
  if (ips.items.length > 1 && new Set(ips.items.map(({ text }) => isIP(text))).size === 1)
    ips.invalid("may specify no more than one IP for each IP family");
  for (const [i, ip] of ips.items.entries()) {
    const family = families.items[i]?.text;
    if (family === "IPv4" && isIPv6(ip.text)) ip.invalid(`expected an IPv4 value as indicated by \`ipFamilies[${i}]\``);
    if (family === "IPv6" && !isIPv6(ip.text)) ip.invalid(`expected an IPv6 value as indicated by \`ipFamilies[${i}]\``);
  }
}

const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'";

function balancer(spec: Spot): void {
  const isBalancer = spec.get("type") === "LoadBalancer";
  const ranges = spec.at("loadBalancerSourceRanges").named("spec.LoadBalancerSourceRanges");
  if (!ranges.isEmpty) {
    if (!isBalancer) ranges.forbidden(ONLY_BALANCER);
    each(cidr)(ranges);
  }
  const allocates = spec.at("allocateLoadBalancerNodePorts");
  if (isBalancer) needed()(allocates.withValue(allocates.isSet ? true : undefined));
  else if (allocates.isSet) allocates.forbidden(ONLY_BALANCER);
}

/** Checks that the load balancer class does not change. */
function balancerClass(spec: Spot, old: JsonObject | undefined): void {
  const spot = spec.at("loadBalancerClass");
  if (old !== undefined && old["type"] === "LoadBalancer" && spec.get("type") === "LoadBalancer") {
    if (!jsonEqual(spot.value, old["loadBalancerClass"])) spot.invalid("may not change once set", spot.value ?? null);
  }
  if (!spot.isSet) return;
  if (spec.get("type") === "LoadBalancer") qualifiedName(spot);
  else spot.forbidden(ONLY_BALANCER);
}

const trafficPolicy: Rule = oneOf("Cluster", "Local");

function traffic(spec: Spot): void {
  const [type, external, health] = [spec.at("type").text, spec.at("externalTrafficPolicy"), spec.at("healthCheckNodePort")];
  const isExternal = type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !spec.at("externalIPs").isEmpty);
  if (isExternal) needed(trafficPolicy)(external);
  else if (!external.isEmpty) external.invalid("may only be set for externally-accessible services");
  if (type === "LoadBalancer" && external.text === "Local") needed(portNumber)(health);
  else if (!health.isEmpty) health.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  trafficPolicy(spec.at("internalTrafficPolicy"));
  oneOf("PreferClose", "PreferSameZone", "PreferSameNode")(spec.at("trafficDistribution"));
}

/** Checks that an assigned address does not change. */
function keptAddresses(spec: Spot, old: JsonObject): void {
  const before = Array.isArray(old["clusterIPs"]) ? old["clusterIPs"] : [];
  const ips = spec.at("clusterIPs");
  const now = ips.items;
  const isFree = spec.get("type") === "ExternalName" || old["type"] === "ExternalName" || (isHeadless(spec) && old["clusterIP"] === "None");
  if (isFree || before.length === 0) return;
  const change = (i: number, detail: string): void => ips.named(`${ips.path}[${i}]`).invalid(detail, ips.value ?? null);
  if (now.length === before.length) {
    for (const [i, ip] of before.entries()) if (now[i]?.value !== ip) change(i, "may not change once set");
    return;
  }
  if (now.length === 0) change(0, "primary clusterIP can not be unset");
  else if (now[0]?.value !== before[0]) change(0, "may not change once set");
  if (now.length === 1 && spec.get("ipFamilyPolicy") !== "SingleStack")
    spec.at("ipFamilyPolicy").invalid("must be set to 'SingleStack' when releasing the secondary clusterIP");
}

export function serviceWarnings(draft: JsonObject): readonly string[] {
  const spec = objectAt(draft, "spec");
  const { type, externalIPs, clusterIP } = spec;
  const hasExternal = Array.isArray(externalIPs) && externalIPs.length > 0;
  const warnings: string[] = [];
  if (clusterIP === "None" && type === "ClusterIP") {
    if (spec["loadBalancerIP"]) warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (hasExternal) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec["sessionAffinity"] !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  } else if (hasExternal && type !== "ExternalName")
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (type === "ExternalName" && hasExternal) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== "ExternalName" && spec["externalName"]) warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec["trafficDistribution"] === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
