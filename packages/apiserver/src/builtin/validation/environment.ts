/** Validates variables of containers and the sources of their values. */
import { labelKeyProblems } from "@treadle/apimachinery";
import { configKeyProblems, subdomain } from "./formats.ts";
import { each, fields, ifGiven, needed, passes, type Rule, required, type Spot } from "./spot.ts";

const variableName: Rule = passes((text) =>
  /^[ -<>-~]+$/.test(text) ? [] : ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
);

/** Fields of pods that variables and volumes can refer to. */
const IN_VARIABLES = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const IN_VOLUMES = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/** Fields that the real server can find in a pod. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...IN_VARIABLES,
  ...IN_VOLUMES,
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.hostNetwork",
  "status.phase",
  "status.nominatedNodeName",
]);

function fieldReference(shown: readonly string[]): Rule {
  return (spot) => {
    const [version, path] = [spot.get("apiVersion") ?? "v1", spot.at("fieldPath")];
    if (path.isEmpty) return path.required();
    const [, base = path.text, subscript] = /^(.+)\['([^']*)'\]$/.exec(path.text) ?? [];
    if (version !== "v1") return path.invalid(`error converting fieldPath: unsupported pod version: ${String(version)}`);
    if (subscript !== undefined && (base === "metadata.labels" || base === "metadata.annotations")) {
      const key = base === "metadata.labels" ? subscript : subscript.toLowerCase();
      for (const problem of labelKeyProblems(key)) spot.invalid(problem, key);
    } else if (subscript !== undefined) path.invalid(`error converting fieldPath: field label does not support subscript: ${path.text}`);
    else if (!KNOWN_FIELDS.has(base)) path.invalid(`error converting fieldPath: field label not supported: ${base}`);
    else if (!shown.includes(base)) path.notSupported(shown);
  };
}

const AMOUNTS = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const BYTES = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
/** Units of an amount, by the suffix of its name. */
const DIVISORS: Readonly<Record<string, readonly string[]>> = {
  cpu: ["1m", "1"],
  memory: BYTES,
  "ephemeral-storage": BYTES,
};

function resourceReference(isOfVolume: boolean): Rule {
  return (spot) => {
    const [container, resource, divisor] = [spot.at("containerName"), spot.at("resource"), spot.at("divisor")];
    if (isOfVolume && container.isEmpty) return container.required();
    if (resource.isEmpty) return resource.required();
    const isHuge = /^(limits|requests)\.hugepages-/.test(resource.text);
    if (!AMOUNTS.includes(resource.text) && !isHuge) resource.notSupported(AMOUNTS);
    const name = isHuge ? "memory" : resource.text.replace(/^\w+\./, "");
    const units = DIVISORS[name];
    if (units === undefined || divisor.isEmpty || divisor.text === "0" || units.includes(divisor.text)) return;
    const list = name === "cpu" ? units.join(" and ") : units.join(", ");
    const kind = isHuge ? "hugepages" : name === "ephemeral-storage" ? "local ephemeral storage" : name;
    divisor.invalid(`only divisor's values ${list} are supported with the ${kind} resource`, resource.text);
  };
}

export const volumeField: Rule = fieldReference(IN_VOLUMES);
export const volumeAmount: Rule = resourceReference(true);

const keyReference: Rule = fields({
  name: subdomain,
  key: needed(passes(configKeyProblems)),
});

/** Sources of values, in the order in which they are checked. */
const SOURCES: readonly (readonly [string, Rule])[] = [
  ["fieldRef", fieldReference(IN_VARIABLES)],
  ["resourceFieldRef", resourceReference(false)],
  ["configMapKeyRef", keyReference],
  ["secretKeyRef", keyReference],
  ["fileKeyRef", fields({ volumeName: required, path: required, key: required })],
];

const source = (spot: Spot, value: Spot): void => {
  if (!spot.isSet) return;
  const given = SOURCES.filter(([name]) => spot.at(name).isSet);
  for (const [name, rule] of given) rule(spot.at(name));
  const names = SOURCES.map(([name]) => `\`${name}\``);
  if (given.length === 0) spot.invalid(`must specify one of: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`, "");
  else if (!value.isEmpty) spot.invalid("may not be specified when `value` is not empty", "");
  else if (given.length > 1) spot.invalid("may not have more than one field specified at a time", "");
};

export const env: Rule = each((spot) => {
  needed(variableName)(spot.at("name"));
  source(spot.at("valueFrom"), spot.at("value"));
});

const reference: Rule = fields({ name: needed(subdomain) });

export const envFrom: Rule = (spot) => {
  for (const item of spot.items) {
    ifGiven(variableName)(item.at("prefix"));
    const given = ["configMapRef", "secretRef"].filter((name) => item.at(name).isSet);
    for (const name of given) reference(item.at(name));
    if (given.length === 0) spot.invalid("must specify one of: `configMapRef` or `secretRef`", "");
    else if (given.length > 1) spot.invalid("may not have more than one field specified at a time", "");
  }
};
