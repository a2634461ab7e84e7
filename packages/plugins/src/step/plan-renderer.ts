/** The renderer of the step: it finds the plugin of an owner and asks it for a plan. */
import { apiVersionOf, isConditionReason, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { type ConfiguredObject, NoAnswer, type RenderContext } from "@treadle/dependents";
import { hostOf, type RenderHost, RenderLater, SHARED_PREFIX } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { TimeLimit, truncate } from "@treadle/reconcile/unstable/engine";
import { core } from "zod";
import type { OfferedType } from "../host/offer.ts";
import type { Host } from "../host/host.ts";
import { textsOfSecrets } from "../host/plugin-secrets.ts";
import type { Candidate, Pair } from "../host/registry.ts";
import { PluginError } from "../plugin-error.ts";
import { printable } from "../shown.ts";
import type { GrantedKinds, PluginStepOptions } from "../types.ts";
import type { PlanAnswer, PlannedDependent, PlanProblem } from "../wire/messages.ts";
import { checkedPlan, refusal } from "./checked-plan.ts";

/** What a step needs of its host. */
export interface StepHost {
  readonly host: Host;
  /** What each plugin may give. */
  readonly grants: Readonly<Record<string, GrantedKinds>>;
  /** What all plugins may give. */
  readonly kinds: GrantedKinds;
}

/** What an owner requests. */
interface Requested {
  readonly category: string;
  readonly type: string;
  /** Empty: any. */
  readonly version: string;
  readonly parameters: object;
}

type Options = PluginStepOptions<KubernetesObject, string>;
type Fields = { readonly [field: string]: unknown };

/**
 * Returns the renderer.
 * @throws (the renderer) NoAnswer without a plugin; PluginError; TerminalError for an owner that is not valid; RenderLater before the start
 */
export function planRenderer(
  primary: Kind,
  options: Options,
  { host, grants }: StepHost,
): (owner: KubernetesObject, context: RenderContext) => Promise<readonly ConfiguredObject[]> {
  const limit = new TimeLimit();
  return async (owner, context) => {
    const services = hostOf(context);
    const requested = requestOf(options, owner);
    const pair = host.registry.pair(requested.category, requested.type);
    services.dependsOn(pair);
    if (host.registry.overview === undefined) throw new RenderLater("the host of the plugins has not started: add it to the manager");
    const { plugin, type } = serving(pair, requested, host);
    const parameters = parametersOf(type, requested, limit);
    if (plugin.running === undefined)
      throw new PluginError("Away", `plugin "${plugin.name}" is not ready (${plugin.state}): ${services.hide(plugin.message)}`);
    const request = { type: type.name, version: requested.version, owner: sent(primary, owner), parameters, live: liveOf(context) };
    const answer = await plugin.running.plan(request, context.signal);
    const granted = Object.hasOwn(grants, plugin.name) ? (grants[plugin.name] ?? []) : [];
    const rules = {
      plugin: plugin.name,
      granted,
      owner,
      ownerKind: primary,
      reserved: [SHARED_PREFIX, ...services.prefixes],
      hide: services.hide,
    };
    const planned = checkedPlan(dependentsIn(answer, plugin.name, services), rules);
    if (granted === "any")
      for (const { object, config } of planned)
        if (await host.isClusterScoped(object, context.signal))
          throw refusal(
            plugin.name,
            config.id,
            "NotGranted",
            `is a ${object.kind}, which is cluster-scoped: no plugin may give such objects`,
          );
    return planned;
  };
}

/** Reads what the owner requests. @throws TerminalError Invalid */
function requestOf(options: Options, owner: KubernetesObject): Requested {
  const spec = ((owner as { readonly spec?: unknown }).spec ?? {}) as Fields;
  const text = (name: "category" | "type" | "version"): string => {
    const value: unknown = options[name] === undefined ? spec[name] : options[name](owner);
    if (typeof value === "string" && (value !== "" || name === "version")) return value;
    if (name === "version" && (value === undefined || value === null)) return "";
    throw invalid([{ path: `spec.${name}`, message: "is missing: set it, such as to a value that kubectl get capabilityinfos shows" }]);
  };
  const parameters: unknown = options.parameters === undefined ? spec["parameters"] : options.parameters(owner);
  if (parameters !== undefined && parameters !== null && (typeof parameters !== "object" || Array.isArray(parameters)))
    throw invalid([{ path: "spec.parameters", message: "must be an object" }]);
  return { category: text("category"), type: text("type"), version: text("version"), parameters: parameters ?? {} };
}

/** @throws NoAnswer if no plugin offers what is requested */
function serving({ candidates }: Pair, { category, type, version }: Requested, { registry }: StepHost["host"]): Candidate {
  const [first] = candidates;
  if (first === undefined) throw new NoAnswer("NoPlugin", `no plugin offers ${category}/${type}; ${registry.overview}`, { retry: "never" });
  const { versions } = first.type;
  if (version === "" || versions.includes(version)) return first;
  const there = versions.length === 0 ? "it has no versions" : `there are: ${truncate(versions.join(", "), 300)}`;
  const message = `plugin "${first.plugin.name}" does not offer version ${version} of ${category}/${type}; ${there}`;
  throw new NoAnswer("NoPlugin", message, { retry: "never" });
}

/**
 * Returns the parameters with their defaults. The plugin chooses the patterns of the schema, and a user the texts: a slow pattern must not
 * block the operator. @throws TerminalError Invalid
 */
function parametersOf({ parameters: schema }: OfferedType, { parameters }: Requested, limit: TimeLimit): object {
  if (schema === undefined) return parameters;
  const done = limit.run(() => schema.safeParse(parameters));
  if (done === undefined)
    throw invalid([{ path: "spec.parameters", message: "takes too long for the patterns in the schema of the plugin" }]);
  const { data, error } = done.result;
  if (error !== undefined)
    throw invalid(error.issues.map(({ path, message }) => ({ path: core.toDotPath(["spec", "parameters", ...path]), message })));
  return data as object; // A schema that changes the type is not one of parameters.
}

function liveOf({ live }: RenderContext): readonly { readonly id: string; readonly object: KubernetesObject }[] {
  return Object.entries(live).flatMap(([id, object]) => (object === undefined ? [] : [{ id, object: sent(undefined, object) }]));
}

/** What is sent of an object: all but the managed fields, which are large and of no use. */
function sent(kind: Kind | undefined, object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata as KubernetesObject["metadata"] & Fields;
  return { ...object, ...(kind === undefined ? {} : { apiVersion: apiVersionOf(kind), kind: kind.kind }), metadata };
}

/** Returns the objects of an answer. @throws PluginError or TerminalError for another answer */
function dependentsIn(answer: PlanAnswer, plugin: string, { hide, conceal }: RenderHost): readonly PlannedDependent[] {
  if (answer.type === "dependents") {
    // The state of one object may quote a Secret of the same answer.
    conceal(textsOfSecrets(answer.dependents.map(({ object }) => object)));
    return answer.dependents;
  }
  if (answer.type === "problems") throw invalid(answer.problems.map(({ path, message }) => ({ path: hide(path), message: hide(message) })));
  const { code, message, terminal, retryAfterMs } = answer.error;
  const reason = isConditionReason(code) ? code : "PlanFailed";
  const text = truncate(printable(hide(message)), 1_000);
  if (terminal) throw new TerminalError(`plugin "${plugin}" failed: ${text}`, { code: reason });
  throw new PluginError("PlanFailed", `plugin "${plugin}" failed: ${reason}: ${text}`, {
    retryAfterMs: retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, MIN_RETRY_MS),
  });
}

/** Minimum delay that a plugin may choose, in milliseconds: with less it would occupy the operator. */
const MIN_RETRY_MS = 1_000;

const MAX_PROBLEMS = 10;

function invalid(problems: readonly PlanProblem[]): TerminalError {
  const shown = problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => truncate(printable(`${path}: ${message}`), 300));
  const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
  return new TerminalError([...shown, ...more].join("; "), { code: "Invalid" });
}
