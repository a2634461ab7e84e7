/** Validates nodes, priority classes, leases and APIServices. */
import { dns1035LabelProblems, jsonEqual } from "@treadle/apimachinery";
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { cidr, dnsLabel, ipAddress, labelValue, portNumber, protocol, publicIp, qualifiedName, subdomain } from "./formats.ts";
import { TAINT_EFFECTS } from "./selectors.ts";
import { check, fields, mustBeOneOf, nonNegative, oneOf, passes, type Rule, required, type Spot, unchanged } from "./spot.ts";

/** Checks taints. The real server reports them at another field. */
function taints(spec: Spot): void {
  const seen = new Set<string>();
  for (const [i, item] of spec.at("taints").items.entries()) {
    const taint = item.named(`metadata.taints[${i}]`);
    const [key, effect] = [taint.at("key"), taint.at("effect")];
    qualifiedName(key);
    labelValue(taint.at("value"));
    mustBeOneOf(...TAINT_EFFECTS)(effect);
    const id = `${key.text}:${effect.text}`;
    if (seen.has(id)) {
      const shown = { Key: key.text, Value: taint.at("value").text, Effect: effect.text, TimeAdded: taint.get("timeAdded") ?? null };
      taint.duplicate(new GoStruct(shown), "taints must be unique by key and effect pair");
    }
    seen.add(id);
  }
}

export function nodeErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (node) => {
    const spec = node.at("spec");
    taints(spec);
    for (const range of spec.at("podCIDRs").items) cidr(range);
    if (!isObject(previous?.["spec"])) return;
    nodeChanges(spec, previous["spec"]);
    taints(spec);
  });
}

const ONCE = (field: string): string => `node updates may not change ${field} except from "" to valid`;

function nodeChanges(spec: Spot, old: JsonObject): void {
  const before = Array.isArray(old["podCIDRs"]) ? old["podCIDRs"] : [];
  if (before.length > 0 && !jsonEqual(spec.get("podCIDRs"), before)) spec.at("podCIDRs").forbidden(ONCE("podCIDR"));
  if (old["providerID"] && spec.get("providerID") !== old["providerID"]) spec.at("providerID").forbidden(ONCE("providerID"));
}

const MAX_USER_PRIORITY = 1_000_000_000;

export function priorityClassErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (object) => {
    const [name, value] = [object.within("metadata", "name"), object.at("value")];
    if (previous !== undefined) {
      if (value.number !== (previous["value"] ?? 0)) value.forbidden("may not be changed in an update.");
      unchanged(previous["preemptionPolicy"])(object.at("preemptionPolicy"));
      return;
    }
    const isSystem = name.text === "system-cluster-critical" || name.text === "system-node-critical";
    if (name.text.startsWith("system-") && !isSystem)
      name.forbidden(
        `priority class names with 'system-' prefix are reserved for system use only. error: ${name.text} is not a known system priority class`,
      );
    else if (!isSystem && value.number > MAX_USER_PRIORITY)
      value.forbidden(`maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`);
    oneOf("PreemptLowerPriority", "Never")(object.at("preemptionPolicy"));
  });
}

export function leaseErrors(draft: JsonObject): FieldError[] {
  return check(
    draft,
    fields({
      spec: fields({
        leaseDurationSeconds: (spot) => {
          if (spot.isSet && spot.number <= 0) spot.invalid("must be greater than 0");
        },
        leaseTransitions: nonNegative,
      }),
    }),
  );
}

function priority(most: number): Rule {
  return (spot) => {
    if (spot.number <= 0 || spot.number > most) spot.invalid(`must be positive and less than ${most}`, spot.number);
  };
}

export function apiServiceErrors(draft: JsonObject): FieldError[] {
  return check(draft, (object) => {
    const [name, spec] = [object.within("metadata", "name"), object.at("spec")];
    const [group, version] = [spec.at("group").text, spec.at("version").text];
    if (name.text !== `${version}.${group}`) name.invalid(`must be \`spec.version+"."+spec.group\`: "${version}.${group}"`);
    if (group !== "") subdomain(spec.at("group"));
    passes(dns1035LabelProblems)(spec.at("version"));
    priority(20_000)(spec.at("groupPriorityMinimum"));
    priority(1000)(spec.at("versionPriority"));
    const service = spec.at("service");
    const skips = spec.at("insecureSkipTLSVerify");
    if (!service.isSet) {
      if (!spec.at("caBundle").isEmpty) spec.at("caBundle").invalid("local APIServices may not have a caBundle", "<bytes>");
      if (skips.value === true) skips.invalid("local APIServices may not have insecureSkipTLSVerify");
      return;
    }
    required(service.at("namespace"));
    required(service.at("name"));
    const port = service.at("port");
    if (port.isSet && (port.number < 1 || port.number > 65_535)) port.invalid("port is not valid: must be between 1 and 65535, inclusive");
    if (skips.value === true && !spec.at("caBundle").isEmpty) skips.invalid("may not be true if caBundle is present");
  });
}

const reachable: Rule = (spot) => {
  const before = spot.errorCount;
  ipAddress(spot);
  if (spot.errorCount === before) publicIp(spot);
  else spot.invalid("must be a valid IP address");
};

export function endpointsErrors(draft: JsonObject): FieldError[] {
  return check(draft, (endpoints) => {
    for (const subset of endpoints.at("subsets").items) {
      const lists = [...subset.at("addresses").items, ...subset.at("notReadyAddresses").items];
      if (lists.length === 0) subset.required("must specify `addresses` or `notReadyAddresses`");
      for (const address of lists) {
        if (!address.at("hostname").isEmpty) dnsLabel(address.at("hostname"));
        reachable(address.at("ip"));
      }
      const ports = subset.at("ports").items;
      for (const port of ports) {
        if (!port.at("name").isEmpty) dnsLabel(port.at("name"));
        else if (ports.length > 1) port.at("name").required();
        portNumber(port.at("port").isSet ? port.at("port") : port.at("port").withValue(0));
        protocol(port.at("protocol"));
      }
    }
  });
}
