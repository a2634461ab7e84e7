/**
 * The provider: how operators reach an external API. One provider serves all kinds of the API. It has one connection for each version of a
 * config and its Secret, and one set of limits for each config.
 */
import { keyOf, type Kind, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { one, type Read, through } from "@treadle/reconcile";
import { type Rate, requireRate } from "./rate.ts";

/** The arguments of `connect`. */
export interface ConnectArgs<C> {
  /** The config. */
  readonly config: C;
  /** The Secret that `secret` names; `undefined` without `secret`. */
  readonly secret: ObjectOf<typeof Secret> | undefined;
  /** A signal that ends when the connection takes too long, or the operator ends. */
  readonly signal: AbortSignal;
}

/** The options of {@link provider}. */
export interface ProviderOptions<C extends KubernetesObject, Api> {
  /**
   * Names the Secret of a config: by a name in the namespace of the config, or by a full reference. A cluster-scoped config needs
   * a full reference. @defaultValue no Secret
   */
  readonly secret?: (config: C) => string | Ref | undefined;
  /**
   * Connects to the API: once for each version of the config and its Secret. All objects share the result. If it has
   * `[Symbol.asyncDispose]`, it is disposed after its last call, when a newer version exists or the operator ends.
   */
  readonly connect: (args: ConnectArgs<C>) => Api | Promise<Api>;
  /** The limit of calls for each config. @defaultValue no limit */
  readonly rate?: Rate;
  /** Names the config of an object, by a name or a full reference. @defaultValue `spec.providerConfigRef.name` */
  readonly configOf?: (object: KubernetesObject) => string | Ref | undefined;
}

/** A provider that `provider()` made, for kinds whose functions get an `Api`. */
export interface Provider<out Api> {
  /** The kind of the configs. */
  readonly config: Kind;
  /** For the compiler only: the API. */
  readonly $api?: Api;
}

/** A provider as the steps use it. */
export interface ProviderDefinition extends Provider<unknown> {
  /** The options, for configs of any type. */
  readonly options: ProviderOptions<KubernetesObject, unknown>;
  /** Names the config of an object. */
  readonly configOf: (object: KubernetesObject) => string | Ref | undefined;
}

/** The reads by which a step gets the config and the Secret of its object. */
export interface ProviderReads {
  /** The config of the object. */
  readonly config: Read<KubernetesObject, KubernetesObject | undefined>;
  /** The Secret of the config; absent for a provider without `secret`. */
  readonly secret?: Read<KubernetesObject, ObjectOf<typeof Secret> | undefined>;
}

const PROVIDER: symbol = Symbol.for("treadle.managed.Provider");

/**
 * Makes a provider for the configs of a kind. Make it once, at the top of a module, for all kinds of the API.
 * @throws TypeError when an option is missing or has the wrong type, with the fix
 */
export function provider<K extends Kind, Api>(config: K, options: ProviderOptions<ObjectOf<K>, Api>): Provider<Awaited<Api>> {
  const given = config as Partial<Kind> | undefined;
  if (typeof given?.kind !== "string" || typeof given.plural !== "string")
    throw new TypeError("provider(): the first argument must be the kind of the configs, as defineResource() returns it");
  const where = `provider(${given.kind})`;
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${where}: the second argument must be an object with connect: ({ config, secret }) => api`);
  requireFunction(options.connect, `${where}: connect must be a function that returns the API: ({ config, secret }) => api`);
  if (options.secret !== undefined)
    requireFunction(options.secret, `${where}: secret must be a function that names the Secret: (config) => config.spec.secret`);
  if (options.configOf !== undefined)
    requireFunction(options.configOf, `${where}: configOf must be a function that names the config: (object) => name`);
  const definition: ProviderDefinition = {
    config,
    options: {
      ...(options as unknown as ProviderOptions<KubernetesObject, unknown>), // The functions get only objects of `config`.
      ...(options.rate === undefined ? {} : { rate: requireRate(options.rate, where) }),
    },
    configOf: options.configOf ?? configRefOf,
  };
  Object.defineProperty(definition, PROVIDER, { value: true });
  return Object.freeze(definition) as Provider<Awaited<Api>>;
}

/** Returns the definition of a provider that `provider()` of any copy of the package made; `undefined` for other values. */
export function definitionOfProvider(value: unknown): ProviderDefinition | undefined {
  return typeof value === "object" && value !== null && PROVIDER in value ? (value as ProviderDefinition) : undefined;
}

/** Returns the reads of the config and of its Secret. Make them once for each step: `secret` goes through `config`. */
export function readsOf(definition: ProviderDefinition): ProviderReads {
  const { config: kind, options } = definition;
  const config: ProviderReads["config"] = one(kind, definition.configOf);
  const { secret } = options;
  return secret === undefined
    ? { config }
    : {
        config,
        secret: one(
          Secret,
          through(config, (object) => secretRef(kind, object, secret(object))),
        ),
      };
}

/** The default of `configOf`. */
function configRefOf(object: KubernetesObject): string | undefined {
  const { spec } = object as { readonly spec?: { readonly providerConfigRef?: { readonly name?: unknown } } };
  const name = spec?.providerConfigRef?.name;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * A bare name in a cluster-scoped config would mean the namespace of each object. Its objects would then have different Secrets, but
 * share one connection.
 */
function secretRef(kind: Kind, config: KubernetesObject, ref: string | Ref | undefined): string | Ref | undefined {
  const isBare = typeof ref === "string" ? ref !== "" : ref !== undefined && (ref.namespace ?? "") === "";
  if (kind.scope === "Cluster" && isBare)
    throw new TypeError(
      `secret of ${kind.kind} ${keyOf(config.metadata)}: a cluster-scoped config must name the namespace of its Secret: return { namespace, name }`,
    );
  return ref === "" ? undefined : ref;
}

function requireFunction(value: unknown, message: string): void {
  if (typeof value !== "function") throw new TypeError(message);
}
