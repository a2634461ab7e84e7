/** A managed step with its defaults, and what follows from its options without a pass. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { fieldsOf } from "./declared-fields.ts";
import { externalNames, type Names, nameProblem, namesOf } from "./names.ts";
import { definitionOfProvider, type ProviderDefinition } from "./provider/provider.ts";
import type { References } from "./reference.ts";
import { POLL_MS } from "./schedule.ts";
import type { AnyManagedOptions, NameArgs } from "./types.ts";

/** A managed step as its phases run it. */
export interface Definition {
  readonly name: string;
  readonly kind: Kind;
  /** The singular of the kind. */
  readonly singular: string;
  readonly options: AnyManagedOptions;
  readonly provider: ProviderDefinition;
  readonly names: Names;
  /** The status field with the external name; `undefined`: the kind declares none. */
  readonly statusField: string | undefined;
  readonly references: References<KubernetesObject>;
  readonly redacted: ReadonlySet<string>;
  readonly graceMs: number;
  readonly timeoutMs: number;
  /** Whether the step reports for the later steps, because it owns Ready. */
  readonly ownsReady: boolean;
  /** Returns the name before the create: that of the author, or the default. @throws TypeError for a text that is not a name */
  readonly chosenName: (object: KubernetesObject) => string;
}

const FUNCTIONS = [
  "externalName",
  "create",
  "recoverCreate",
  "update",
  "delete",
  "state",
  "status",
  "connection",
  "lateInitialize",
  "onChange",
] as const;

/** Returns the definition of a managed step. @throws TypeError with what is wrong, and what to do */
export function definitionOf(kind: Kind, options: AnyManagedOptions): Definition {
  const where = requireOptions(kind, options);
  const provider = definitionOfProvider(options.provider);
  if (provider === undefined)
    throw new TypeError(`${where}: provider must be what provider() returned: provider: provider(Config, { ... })`);
  const { prefix, graceMs = 30_000, timeoutMs = 60_000, redact = [] } = options;
  const singular = singularOf(kind);
  const names = namesOf(prefix);
  const declared = fieldsOf(kind, "status");
  return {
    name: options.name,
    kind,
    singular,
    options,
    provider,
    names,
    statusField: names.statusFields.find((field) => declared.has(field)),
    references: options.references ?? {},
    redacted: new Set(redact),
    graceMs,
    timeoutMs,
    ownsReady: prefix === undefined,
    chosenName: (object) => {
      const args = { object, metadata: object.metadata, spec: (object as { readonly spec?: unknown }).spec, singular };
      const name: unknown = (options.externalName ?? externalNames.uid)(args as NameArgs<KubernetesObject> & { readonly spec: never });
      const problem = nameProblem(name);
      if (problem !== undefined) throw new TypeError(`${where}: externalName returned a name that cannot be used: ${problem}`);
      return name as string;
    },
  };
}

/** The singular of a kind, in lower case. */
function singularOf(kind: Kind): string {
  return kind.resource?.crd().spec.names.singular ?? kind.kind.toLowerCase();
}

/** Returns the interval of a settled object, in milliseconds. @throws TypeError for an answer of the author that is not a time */
export function pollMsOf({ name, options }: Definition, state: string): number {
  const { pollMs = POLL_MS } = options;
  const ms: unknown = typeof pollMs === "function" ? pollMs(state as never) : pollMs;
  if (typeof ms === "number" && ms > 0 && ms < Number.POSITIVE_INFINITY) return ms;
  throw new TypeError(`managed "${name}": pollMs must be a number of milliseconds above 0, not ${String(ms)}`);
}

/** @throws TypeError with the fix (untyped code). Returns the beginning of error texts. */
function requireOptions(kind: Kind, options: AnyManagedOptions): string {
  if (typeof (kind as Kind | undefined)?.kind !== "string")
    throw new TypeError("managed: the first argument must be a kind: what defineResource() or kind() returned");
  if (typeof options !== "object" || options === null || typeof options.name !== "string" || options.name === "")
    throw new TypeError(`managed(${kind.kind}): the options need a name, the persistent name of the step`);
  const where = `managed "${options.name}"`;
  for (const member of ["observe", "desired"] as const)
    if (typeof options[member] !== "function") throw new TypeError(`${where}: ${member} is missing: it must be a function`);
  for (const member of FUNCTIONS)
    if (options[member] !== undefined && typeof options[member] !== "function")
      throw new TypeError(`${where}: ${member} must be a function`);
  const { prefix, pollMs, graceMs, timeoutMs, redact, references } = options;
  if (prefix !== undefined && !/^[A-Z][A-Za-z0-9]*$/.test(prefix))
    throw new TypeError(`${where}: prefix must be a CamelCase word, such as "Bucket", not ${JSON.stringify(prefix)}`);
  for (const [member, value] of Object.entries({ pollMs: typeof pollMs === "function" ? undefined : pollMs, graceMs, timeoutMs }))
    if (value !== undefined && !(typeof value === "number" && value >= (member === "graceMs" ? 0 : 1) && value < Number.POSITIVE_INFINITY))
      throw new TypeError(`${where}: ${member} must be a number of milliseconds, not ${String(value)}`);
  if (redact !== undefined && !Array.isArray(redact)) throw new TypeError(`${where}: redact must be a list of keys of desired`);
  for (const [name, value] of Object.entries(references ?? {}))
    if ((value as { readonly type?: unknown } | undefined)?.type !== "reference")
      throw new TypeError(`${where}: references.${name} must be what reference() returned`);
  return where;
}
