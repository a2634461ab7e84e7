/** Validates Ingresses, IngressClasses and NetworkPolicies. */
import { isIP } from "node:net";
import { dns1123SubdomainProblems } from "@treadle/apimachinery";
import type { FieldError } from "../../errors/field-errors.ts";
import { type JsonObject, valueAt } from "../../internal/json.ts";
import { cidr, dnsLabel, domainPath, pathSegment, portName, portNumber, portReference, subdomain } from "./formats.ts";
import { labelSelector } from "./selectors.ts";
import { check, each, fields, ifGiven, ifSet, needed, oneOf, type Rule, type Spot, unchanged } from "./spot.ts";

const WILDCARD = "*.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const WILDCARD_TEXT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric " +
  `characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\${WILDCARD.replace(".", "\\.")}')`;

const host: Rule = (spot) => {
  if (isIP(spot.text) !== 0) spot.invalid("must be a DNS name, not an IP address");
  else if (!spot.text.includes("*")) subdomain(spot);
  else if (!spot.text.startsWith("*.") || dns1123SubdomainProblems(spot.text.slice(2)).length > 0) spot.invalid(WILDCARD_TEXT);
};

const resource: Rule = fields({ apiGroup: ifSet(subdomain), kind: needed(pathSegment), name: needed(pathSegment) });

const backend: Rule = (spot) => {
  const [service, other] = [spot.at("service"), spot.at("resource")];
  if (service.isSet && other.isSet) return spot.invalid("cannot set both resource and service backends", "");
  if (other.isSet) return resource(other);
  if (!service.isSet) return spot.invalid("resource or service backend is required", "");
  needed(dnsLabel)(service.at("name"));
  const [name, number] = [service.within("port", "name"), service.within("port", "number")];
  if (!name.isEmpty && !number.isEmpty) spot.invalid("cannot set both port name & port number", "");
  else if (!name.isEmpty) portName(name);
  else if (!number.isEmpty) portNumber(number);
  else spot.required("port name or number is required");
};

const NOT_IN_PATHS = ["//", "/./", "/../", "%2f", "%2F"];
const NOT_AT_END = ["/..", "/."];

function path(spot: Spot): void {
  const [text, type] = [spot.at("path"), spot.at("pathType")];
  const types = ["Exact", "ImplementationSpecific", "Prefix"];
  if (!type.isSet) type.required("pathType must be specified");
  else if (!types.includes(type.text)) type.notSupported(types);
  else if (type.text === "ImplementationSpecific") {
    if (!text.isEmpty && !text.text.startsWith("/")) text.invalid("must be an absolute path");
  } else {
    if (!text.text.startsWith("/")) text.invalid("must be an absolute path");
    for (const part of NOT_IN_PATHS) if (text.text.includes(part)) text.invalid(`must not contain '${part}'`);
    for (const part of NOT_AT_END) if (text.text.endsWith(part)) text.invalid(`cannot end with '${part}'`);
  }
  backend(spot.at("backend"));
}

export function ingressErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (ingress) => {
    const spec = ingress.at("spec");
    const [rules, general, className] = [spec.at("rules"), spec.at("defaultBackend"), spec.at("ingressClassName")];
    const old = ingress.within("metadata", "annotations").get(OLD_CLASS);
    if (previous === undefined && old !== undefined && className.isSet && old !== className.value)
      ingress.named(`annotations.${OLD_CLASS}`).invalid("must match `ingressClassName` when both are specified", old);
    if (rules.isEmpty && !general.isSet) spec.invalid("either `defaultBackend` or `rules` must be specified", rules.value ?? null);
    ifSet(backend)(general);
    for (const rule of rules.items) {
      ifGiven(host)(rule.at("host"));
      const paths = rule.within("http", "paths");
      if (rule.at("http").isSet && paths.isEmpty) paths.required();
      for (const item of paths.items) path(item);
    }
    each(fields({ hosts: each(host), secretName: ifGiven(subdomain) }))(spec.at("tls"));
    ifSet(subdomain)(className);
  });
}

const OLD_CLASS = "kubernetes.io/ingress.class";

export function ingressWarnings(draft: JsonObject): readonly string[] {
  if (valueAt(draft, ["metadata", "annotations", OLD_CLASS]) === undefined) return [];
  return [`annotation ${JSON.stringify(OLD_CLASS)} is deprecated, please use 'spec.ingressClassName' instead`];
}

const parameters: Rule = (spot) => {
  resource(spot);
  const [scope, namespace] = [spot.at("scope"), spot.at("namespace")];
  if (!scope.isSet) scope.required();
  oneOf("Cluster", "Namespace")(scope);
  if (scope.text === "Namespace") needed(dnsLabel, "`parameters.scope` is set to 'Namespace'")(namespace);
  if (scope.text === "Cluster" && namespace.isSet) namespace.forbidden("`parameters.scope` is set to 'Cluster'");
};

export function ingressClassErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (object) => {
    const [spec, controller] = [object.at("spec"), object.within("spec", "controller")];
    const old = previous?.["spec"] as JsonObject | undefined; // built-in objects were decoded
    if (old !== undefined) return unchanged(old["controller"])(controller);
    if (controller.text.length > 250) controller.tooLong(250);
    domainPath(controller);
    ifSet(parameters)(spec.at("parameters"));
  });
}

const TYPES = ["Ingress", "Egress"];

const policyPort: Rule = (spot) => {
  const [port, end] = [spot.at("port"), spot.at("endPort")];
  oneOf("TCP", "UDP", "SCTP")(spot.at("protocol"));
  if (port.isSet) {
    portReference(port);
    if (end.isSet && typeof port.value === "string") end.invalid("may not be specified when `port` is non-numeric");
    else if (end.isSet) {
      if (end.number < port.number) end.invalid("must be greater than or equal to `port`", port.number);
      portNumber(end);
    }
  } else if (end.isSet) end.invalid("may not be specified when `port` is not specified");
};

const peer: Rule = (spot) => {
  const [pods, namespaces, block] = [spot.at("podSelector"), spot.at("namespaceSelector"), spot.at("ipBlock")];
  labelSelector(pods);
  labelSelector(namespaces);
  if (block.isSet) ipBlock(block);
  if (!pods.isSet && !namespaces.isSet && !block.isSet) spot.required("must specify a peer");
  else if (block.isSet && (pods.isSet || namespaces.isSet)) spot.forbidden("may not specify both ipBlock and another peer");
};

function ipBlock(spot: Spot): void {
  const whole = spot.at("cidr");
  if (whole.isEmpty) return whole.required();
  const before = spot.errorCount;
  cidr(whole);
  const isRange = spot.errorCount === before;
  for (const except of spot.at("except").items) {
    const count = spot.errorCount;
    cidr(except);
    if (isRange && spot.errorCount === count && !isInside(except.text, whole.text)) except.invalid("must be a strict subset of `cidr`");
  }
}

/** Reports whether a range is a proper part of another one. */
function isInside(part: string, whole: string): boolean {
  const [inner, outer] = [bitsOf(part), bitsOf(whole)];
  return inner.length > outer.length && inner.startsWith(outer);
}

/** Returns the bits that all addresses of a range have in common. */
function bitsOf(range: string): string {
  const [ip = "", length = ""] = range.split("/");
  const numbers =
    isIP(ip) === 6
      ? groupsOf(ip).map((group) => group.padStart(16, "0"))
      : ip.split(".").map((part) => Number(part).toString(2).padStart(8, "0"));
  return `${isIP(ip)}${numbers.join("").slice(0, Number(length))}`;
}

function groupsOf(ip: string): readonly string[] {
  const [left = "", right = ""] = ip.split("::");
  const parse = (text: string): string[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16).toString(2)));
  const [head, tail] = [parse(left), parse(right)];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
}

export function networkPolicyErrors(draft: JsonObject): FieldError[] {
  return check(draft, (policy) => {
    const spec = policy.at("spec");
    fields({
      podSelector: labelSelector,
      ingress: each(fields({ ports: each(policyPort), from: each(peer) })),
      egress: each(fields({ ports: each(policyPort), to: each(peer) })),
    })(spec);
    const types = spec.at("policyTypes");
    if (types.items.length > TYPES.length) return types.invalid("may not specify more than two policyTypes");
    for (const type of types.items) if (!TYPES.includes(type.text)) type.notSupported(TYPES);
  });
}
