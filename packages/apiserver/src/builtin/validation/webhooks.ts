/** Validates configurations of admission webhooks. */
import { dns1035LabelProblems, dns1123SubdomainProblems, labelKeyProblems } from "@treadle/apimachinery";
import { caBundleProblem } from "../../admission/ca-bundle.ts";
import type { FieldError } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { subdomain } from "./formats.ts";
import { labelSelector } from "./selectors.ts";
import { check, each, fields, needed, oneOf, passes, type Rule, required, type Spot } from "./spot.ts";

const DESIRED = "desired format: https://host[/path]";

function url(spot: Spot): void {
  const parsed = URL.parse(spot.text);
  if (parsed === null || !spot.text.includes("://")) {
    spot.invalid(`'https' is the only allowed URL scheme; ${DESIRED}`, "");
    return spot.invalid(`host must be specified; ${DESIRED}`, "");
  }
  if (parsed.protocol !== "https:") spot.invalid(`'https' is the only allowed URL scheme; ${DESIRED}`, parsed.protocol.slice(0, -1));
  if (parsed.host === "") spot.invalid(`host must be specified; ${DESIRED}`, "");
  if (parsed.username !== "")
    spot.invalid(
      "user information is not permitted in the URL",
      `${parsed.username}${parsed.password === "" ? "" : `:${parsed.password}`}`,
    );
  if (parsed.hash !== "") spot.invalid("fragments are not permitted in the URL", parsed.hash.slice(1));
  if (parsed.search !== "") spot.invalid("query parameters are not permitted in the URL", parsed.search.slice(1));
}

function service(spot: Spot): void {
  required(spot.at("name"));
  required(spot.at("namespace"));
  const [port, path] = [spot.at("port"), spot.at("path")];
  if (port.number < 1 || port.number > 65_535) port.invalid("port is not valid: must be between 1 and 65535, inclusive", port.number);
  if (!path.isSet || path.text === "/" || path.text === "") return;
  if (path.text === "//") return path.invalid("segment[0] may not be empty");
  if (!path.text.startsWith("/")) path.invalid("must start with a '/'");
  const steps = path.text.replace(/\/$/, "").slice(1).split("/");
  for (const [i, step] of steps.entries()) {
    if (step === "") path.invalid(`segment[${i}] may not be empty`);
    else for (const problem of dns1123SubdomainProblems(step)) path.invalid(`segment[${i}]: ${problem}`);
  }
}

const client: Rule = (spot) => {
  const [address, target] = [spot.at("url"), spot.at("service")];
  if (address.isSet === target.isSet) spot.required("exactly one of url or service is required");
  else if (address.isSet) url(address);
  else service(target);
};

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function listed(list: Spot, everything: string): void {
  if (list.isEmpty) list.required();
  if (list.items.length > 1 && list.items.some(({ text }) => text === "*"))
    list.invalid(`if '*' is present, must not specify other ${everything}`);
}

/** Checks a rule of a webhook or a policy. */
export const rule: Rule = (spot) => {
  const [operations, groups, versions] = [spot.at("operations"), spot.at("apiGroups"), spot.at("apiVersions")];
  listed(operations, "operations");
  each(oneOf(...OPERATIONS))(operations);
  listed(groups, "API groups");
  listed(versions, "API versions");
  each(required)(versions);
  resources(spot.at("resources"));
  oneOf("*", "Cluster", "Namespaced")(spot.at("scope"));
};

function resources(list: Spot): void {
  if (list.isEmpty) return list.required();
  const names = list.items.map(({ text }) => text);
  const bare = names.filter((name) => !name.includes("/"));
  for (const [i, item] of list.items.entries()) {
    if (item.isEmpty) item.required();
    const [kind = "", sub] = item.text.split("/");
    if (kind === "*" && sub !== undefined && sub !== "*" && names.some((name, other) => other < i && name.endsWith(`/${sub}`)))
      item.invalid(`if '${item.text}' is present, must not specify ${names.find((name) => name.endsWith(`/${sub}`)) ?? ""}`);
  }
  if (names.length > 1 && names.includes("*/*")) list.invalid("if '*/*' is present, must not specify other resources");
  if (bare.length > 1 && bare.includes("*")) list.invalid("if '*' is present, must not specify other resources without subresources");
}

const KNOWN = ["v1", "v1beta1"];

function reviewVersions(list: Spot): void {
  if (list.isEmpty) return list.required(`must specify one of ${KNOWN.join(", ")}`);
  const seen = new Set<string>();
  for (const item of list.items) {
    if (seen.has(item.text)) item.invalid("duplicate version");
    seen.add(item.text);
    for (const problem of dns1035LabelProblems(item.text)) item.invalid(problem);
  }
  if (!KNOWN.some((version) => seen.has(version))) list.invalid(`must include at least one of ${KNOWN.join(", ")}`);
}

/** Checks the conditions of a webhook or a policy. `compiles` checks an expression. */
export function matchConditions(list: Spot, compiles: Rule = () => {}): void {
  if (list.items.length > 64) list.tooMany(list.items.length, 64);
  const seen = new Set<string>();
  for (const condition of list.items) {
    const name = condition.at("name");
    const expression = condition.at("expression");
    if (expression.text.trim() === "") expression.required();
    else compiles(expression);
    needed(passes(labelKeyProblems))(name);
    if (name.text !== "" && seen.has(name.text)) name.duplicate();
    seen.add(name.text);
  }
}

const webhook: Rule = (spot) => {
  const [name, effects, timeout] = [spot.at("name"), spot.at("sideEffects"), spot.at("timeoutSeconds")];
  needed((at) => {
    const before = at.errorCount;
    subdomain(at);
    if (at.errorCount === before && at.text.split(".").length < 3)
      at.invalid("should be a domain with at least three segments separated by dots");
  })(name);
  each(rule)(spot.at("rules"));
  fields({ failurePolicy: oneOf("Fail", "Ignore"), matchPolicy: oneOf("Equivalent", "Exact") })(spot);
  needed(oneOf("None", "NoneOnDryRun"), "must specify one of None, NoneOnDryRun")(effects);
  if (timeout.isSet && (timeout.number < 1 || timeout.number > 30)) timeout.invalid("the timeout value must be between 1 and 30 seconds");
  labelSelector(spot.at("namespaceSelector"));
  labelSelector(spot.at("objectSelector"));
  client(spot.at("clientConfig"));
  oneOf("IfNeeded", "Never")(spot.at("reinvocationPolicy"));
  reviewVersions(spot.at("admissionReviewVersions"));
  matchConditions(spot.at("matchConditions"));
};

export function webhookErrors(draft: JsonObject): FieldError[] {
  return check(draft, (configuration) => {
    const names = new Set<string>();
    for (const item of configuration.at("webhooks").items) {
      webhook(item);
      const name = item.at("name");
      if (name.text !== "" && names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
  });
}

/** Checks `spec.conversion.webhook` of a CRD, with the field names of Go's internal type. Not every write is checked for its `caBundle`. */
export function conversionClientErrors({ clientConfig, conversionReviewVersions }: JsonObject, checksCaBundle: boolean): FieldError[] {
  // The real server fills in the port before the check.
  const webhookClientConfig =
    isObject(clientConfig) && isObject(clientConfig["service"])
      ? { ...clientConfig, service: { port: 443, ...clientConfig["service"] } }
      : clientConfig;
  return check({ spec: { conversion: { webhookClientConfig, conversionReviewVersions } } }, (definition) => {
    const conversion = definition.at("spec").at("conversion");
    const [config, versions] = [conversion.at("webhookClientConfig"), conversion.at("conversionReviewVersions")];
    const bundle = config.at("caBundle");
    if (config.isSet) client(config);
    else config.required("required when strategy is set to Webhook");
    const problem = checksCaBundle ? caBundleProblem(bundle.text) : undefined;
    if (problem !== undefined) bundle.invalid(problem);
    if (versions.isEmpty) versions.required();
    else reviewVersions(versions);
  });
}
