/** The webhooks of a kind with their defaults, for any type of object, and the problems of a definition. */
import { crdOf, type DefinitionProblem, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { Permission, Problem, Reads } from "@treadle/reconcile";
import { HubSchema } from "./conversion/hub-schema.ts";
import type { Operation, RegistrationOptions, Review, WebhookSelector } from "./types.ts";

/** The functions of one version, for objects of any type. */
export interface AnyConversion {
  /** Returns spec and status of the hub. */
  up(object: KubernetesObject): unknown;
  /** Returns spec and status of the version. */
  down(object: KubernetesObject): unknown;
}

/** Webhooks of any kind, with all their options: what `webhooks()` makes, and its type hides. */
export interface AnyWebhooks {
  /** Marks what `webhooks()` made. */
  readonly type: "webhooks";
  /** The kind; for an own kind the hub. */
  readonly kind: Kind;
  /** The name that tells apart webhooks of one kind; empty when there is none. */
  readonly name: string;
  /** The operations that are reviewed. */
  readonly on: readonly Operation[];
  /** The subresources that are reviewed besides the object. */
  readonly subresources: readonly string[];
  /** Labels of objects; `undefined`: all objects. */
  readonly objectSelector: WebhookSelector | undefined;
  /** Labels of namespaces; `undefined`: the default for the kind. */
  readonly namespaceSelector: WebhookSelector | undefined;
  /** CEL expressions that must all be true. */
  readonly matchConditions: NonNullable<RegistrationOptions["matchConditions"]>;
  /** What happens without an answer. */
  readonly failurePolicy: "Fail" | "Ignore";
  /** How long the API server waits. */
  readonly timeoutSeconds: number;
  /** Whether `fill` is asked again after another webhook. */
  readonly reinvocation: "Never" | "IfNeeded";
  /** Whether the functions have side effects. */
  readonly sideEffects: "None" | "NoneOnDryRun";
  /** The author's `fill`. */
  readonly fill: ((draft: object, object: KubernetesObject, review: Review<KubernetesObject>) => unknown) | undefined;
  /** The author's `problems`. What it returns is checked: untyped code may return anything. */
  readonly problems:
    | ((object: KubernetesObject, review: Review<KubernetesObject>) => readonly Problem[] | Promise<readonly Problem[]>)
    | undefined;
  /** The functions by version; empty when the kind is not converted. */
  readonly convert: Readonly<Record<string, AnyConversion>>;
  /** The declared reads. */
  readonly reads: Reads<KubernetesObject>;
  /** The declared rights. */
  readonly permissions: readonly Permission[];
  /** Whether `fill` gets the object without its status. */
  readonly whole: boolean;
  /** Whether the functions are asked when the spec is as it was. */
  readonly unchanged: boolean;
  /** The schema of the hub, for objects that clients wrote in another version. */
  readonly hubSchema: HubSchema;
}

/** What an author gives, for any kind. */
export type GivenOptions = Partial<Omit<AnyWebhooks, "convert" | "hubSchema">> & { readonly convert?: AnyWebhooks["convert"] | "none" };

/** Returns the options with their defaults. */
export function settle(kind: Kind, given: GivenOptions): AnyWebhooks {
  return {
    type: "webhooks",
    kind,
    name: given.name ?? "",
    on: given.on ?? ["CREATE", "UPDATE"],
    subresources: given.subresources ?? [],
    objectSelector: given.objectSelector,
    namespaceSelector: given.namespaceSelector,
    matchConditions: given.matchConditions ?? [],
    failurePolicy: given.failurePolicy ?? "Fail",
    timeoutSeconds: given.timeoutSeconds ?? 5,
    reinvocation: given.reinvocation ?? "Never",
    sideEffects: given.sideEffects ?? "None",
    fill: given.fill,
    problems: given.problems,
    convert: given.convert === "none" ? {} : (given.convert ?? {}),
    reads: given.reads ?? {},
    permissions: given.permissions ?? [],
    whole: given.whole ?? false,
    unchanged: given.unchanged ?? false,
    hubSchema: new HubSchema(kind),
  };
}

/** Returns the names of the versions of a kind that `defineResource` made, the hub first; one name for every other kind. */
function versionsOf(kind: Kind): readonly string[] {
  return kind.resource === undefined ? [kind.version] : Object.keys(kind.resource.versions());
}

/** Whether the versions of a kind have different fields. Texts for people do not count. */
function differs(kind: Kind): boolean {
  if (versionsOf(kind).length < 2) return false;
  const schemas = crdOf(kind).spec.versions.map(({ schema }) =>
    JSON.stringify(schema, (name, value: unknown) => (name === "description" && typeof value === "string" ? undefined : value)),
  );
  return new Set(schemas).size > 1;
}

/** The operations that a webhook may review. */
export const OPERATIONS: readonly Operation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns what is wrong with the options; untyped code may pass anything. */
export function definitionProblems(kind: Kind, given: GivenOptions): readonly DefinitionProblem[] {
  if (typeof kind?.kind !== "string") return [{ path: "kind", reason: "it is not a kind", fix: "Pass a kind: webhooks(Website, { ... })" }];
  if (typeof given !== "object" || given === null)
    return [{ path: "options", reason: "there are none", fix: "Give at least one of fill, problems and convert" }];
  const problems: DefinitionProblem[] = [];
  const refuse = (path: string, reason: string, fix: string): void => void problems.push({ path, reason, fix });
  const { name, on, subresources, timeoutSeconds, failurePolicy, reinvocation, sideEffects } = given;
  if (given.fill === undefined && given.problems === undefined && given.convert === undefined)
    refuse("options", "nothing is to be done", "Give at least one of fill, problems and convert");
  for (const part of ["fill", "problems"] as const)
    if (given[part] !== undefined && typeof given[part] !== "function") refuse(part, "it is not a function", `Write ${part}(...) { ... }`);
  if (name !== undefined && !NAME.test(name)) refuse("name", "it is not a DNS label", "Use lower case letters, digits and dashes");
  if (on !== undefined && (!Array.isArray(on) || on.length === 0 || on.some((each) => !OPERATIONS.includes(each))))
    refuse("on", "it is not a list of operations", `Use some of ${OPERATIONS.join(", ")}`);
  else if (given.fill !== undefined && on !== undefined && !on.some((each) => each === "CREATE" || each === "UPDATE"))
    refuse("fill", "it is never asked for DELETE and CONNECT", "Add CREATE or UPDATE to on, or use problems");
  if (timeoutSeconds !== undefined && !(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30))
    refuse("timeoutSeconds", "it is not a whole number from 1 to 30", "The API server waits for at most 30 seconds");
  oneOf("failurePolicy", failurePolicy, ["Fail", "Ignore"]);
  oneOf("reinvocation", reinvocation, ["Never", "IfNeeded"]);
  oneOf("sideEffects", sideEffects, ["None", "NoneOnDryRun"]);
  if (kind.resource !== undefined && subresources?.includes("status"))
    refuse("subresources", "status writes of an own kind must not be refused", "Remove status: the operator writes it");
  const [hub = kind.version] = versionsOf(kind);
  if (kind.version !== hub)
    refuse(
      "kind",
      `${kind.version} is not the first version of ${kind.kind}`,
      `Pass the kind itself, whose version is ${hub}: the API server converts before it asks`,
    );
  return [...problems, ...(kind.version === hub ? conversionProblems(kind, given.convert) : [])];

  function oneOf(path: string, value: string | undefined, allowed: readonly string[]): void {
    if (value !== undefined && !allowed.includes(value))
      refuse(path, `${JSON.stringify(value)} is not allowed`, `Use ${allowed.join(" or ")}`);
  }
}

function conversionProblems(kind: Kind, convert: GivenOptions["convert"]): readonly DefinitionProblem[] {
  const [hub, ...others] = versionsOf(kind);
  if (convert === "none" || (convert === undefined && !differs(kind))) return [];
  if (convert === undefined) {
    const functions = others.map((version) => `${version}: { up, down }`).join(", ");
    return [
      {
        path: "convert",
        reason: `the versions ${[hub, ...others].join(", ")} of ${kind.kind} have different schemas, and nothing converts them: fields would be lost`,
        fix: `Write convert: { ${functions} }. If these webhooks need not convert, write convert: "none"`,
      },
    ];
  }
  if (others.length === 0)
    return [
      { path: "convert", reason: `${kind.kind} has one version`, fix: "Define the kind with several versions, or leave convert out" },
    ];
  const isComplete = (version: string): boolean =>
    Object.hasOwn(convert, version) && typeof convert[version]?.up === "function" && typeof convert[version].down === "function";
  const missing = others.filter((version) => !isComplete(version));
  const strange = Object.keys(convert).filter((version) => !others.includes(version));
  return [
    ...missing.map((version) => ({
      path: `convert.${version}`,
      reason: "the version has no functions up and down",
      fix: `Write ${version}: { up: (object) => ({ spec }), down: (object) => ({ spec }) }`,
    })),
    ...strange.map((version) => ({
      path: `convert.${version}`,
      reason: version === hub ? "it is the hub" : `${kind.kind} has no such version`,
      fix: `Convert between ${hub} and each of ${others.join(", ")}`,
    })),
  ];
}
