/**
 * A Secret with random values that exist before the external resource, for providers that take a password at the create.
 *
 * Guarantees
 * - A value is made once, by a cryptographic random number generator, and never changed. A key that is added to the options is added to
 *   the Secret. A key that is removed from them is removed. A Secret that moves keeps its values.
 * - The values exist only in the Secret. A deleted Secret is made again with new values.
 *
 * Not for passwords that the provider makes: `create` returns those as `connection`, for `connectionSecret()`.
 */
import { randomInt } from "node:crypto";
import { type Kind, type KubernetesObject, type ObjectOf, ownership, type Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { all, one, type Step, step } from "@treadle/reconcile";
import { ownSecrets, refIn, type SecretReq } from "./secrets/own-secrets.ts";
import { secretNameOf } from "./secrets/names.ts";

/** The options of {@link generatedSecret}. */
export interface GeneratedSecretOptions<in T extends KubernetesObject> {
  /** The name of the step. @defaultValue `"generated-secret"` */
  readonly name?: string;
  /** The name of the Secret, or a pure function that returns it. @defaultValue {@link generatedSecretName} */
  readonly objectName?: string | ((object: T) => string);
  /** The namespace of the Secret: for cluster-scoped kinds, which have none. @defaultValue the namespace of the object */
  readonly namespace?: string;
  /** The keys that have a random value. */
  readonly keys: readonly string[];
  /** Labels of the Secret, or a pure function that returns them. @defaultValue none */
  readonly labels?: Readonly<Record<string, string>> | ((object: T) => Readonly<Record<string, string>>);
  /** The number of characters of a new value. @defaultValue 32 */
  readonly length?: number;
  /** The characters of a new value. @defaultValue letters and digits, without those that look alike */
  readonly alphabet?: string;
}

/**
 * Returns the name of the Secret that {@link generatedSecret} makes: `<name>-<singular>-generated`, shortened with a hash if it is too
 * long. For `reads: { secret: one(Secret, (object) => generatedSecretName(object)) }`.
 */
export function generatedSecretName(object: KubernetesObject): string {
  return secretNameOf(object, object, "-generated");
}

/**
 * Makes a step that keeps a Secret with random values. Place it before the managed step that reads the Secret.
 *
 * @throws TypeError when `keys` is empty, or when a value would have less than 64 random bits
 */
export function generatedSecret<K extends Kind>(kind: K, options: GeneratedSecretOptions<ObjectOf<K>>): Step<ObjectOf<K>> {
  const parts = partsOf(kind, options as GeneratedSecretOptions<KubernetesObject>); // Its functions are called with this kind only.
  return all(options.name ?? DEFAULT_NAME, parts) as Step<ObjectOf<K>>;
}

const DEFAULT_NAME = "generated-secret";
/** Without 0, 1, I, O and l: people copy passwords by hand. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
/** Too many to be guessed at a provider, which answers at most some thousand attempts per second. */
const MIN_BITS = 64;
/** Far below the 1 MiB of a Secret. */
const MAX_LENGTH = 4_096;
const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** The annotation with the name of the step that generated the values: they are found by it when the Secret moves. */
const GENERATED_BY_ANNOTATION = "treadle.dev/generated-by";

/** Two parts: the values are random, and a dependent's desired state is a pure function. */
function partsOf(
  kind: Kind,
  options: GeneratedSecretOptions<KubernetesObject>,
): readonly [Step<KubernetesObject, {}, {}>, Step<KubernetesObject, {}, {}>] {
  const { name = DEFAULT_NAME, objectName = generatedSecretName, namespace, keys, labels, length = 32, alphabet = ALPHABET } = options;
  const characters = [...new Set(alphabet)];
  requireStrength({ keys, length, characters });
  const nameOf = (object: KubernetesObject): string => (typeof objectName === "function" ? objectName(object) : objectName);
  const refOf = (object: KubernetesObject): Ref => refIn(namespace ?? object.metadata.namespace, nameOf(object));
  const variable = `${name} values`;
  const values = step(kind, {
    name: `${name}-values`,
    reads: { secret: one(Secret, refOf) },
    async do(req) {
      const existing = await existingValues(req, { step: name, ref: refOf(req.object), keys });
      return req.next({ [variable]: Object.fromEntries(keys.map((key) => [key, existing[key] ?? randomValue(characters, length)])) });
    },
  }) as Step<KubernetesObject, {}, Readonly<Record<string, Readonly<Record<string, string>>>>>;
  const secret = dependentApply(kind, {
    name: `${name}-secret`,
    kind: Secret,
    displayName: "generated Secret",
    needs: [values],
    // The garbage collector deletes it with its owner. While the managed step holds the finalizer, it is deleted after that step.
    ...(kind.scope === "Namespaced" && namespace !== undefined ? {} : { finalizer: "on-demand" }),
    objectName: nameOf,
    ...(namespace === undefined ? {} : { namespace }),
    desired: (object, { vars }) => {
      const given = typeof labels === "function" ? labels(object) : labels;
      const metadata = { ...(given === undefined ? {} : { labels: given }), annotations: { [GENERATED_BY_ANNOTATION]: name } };
      return { metadata, data: vars[variable] ?? {} };
    },
  });
  return [values, secret];
}

interface Wanted {
  readonly step: string;
  readonly ref: Ref;
  readonly keys: readonly string[];
}

/**
 * Returns the values that exist, in base64. While a key is missing, the server is asked: the cache may be older than the Secret that
 * another process wrote, and the values may be in a Secret of a former name. A new value in their place would lock users out.
 */
async function existingValues(req: SecretReq, { step: name, ref, keys }: Wanted): Promise<Readonly<Record<string, string>>> {
  const { secret } = req.reads;
  const isOurs = secret !== undefined && ownership(secret, req.object, req.handlerNames).type === "ours";
  const cached = isOurs ? (secret.data ?? {}) : {};
  if (keys.every((key) => Object.hasOwn(cached, key))) return cached;
  const others = ownSecrets(req, ref.namespace).filter(({ metadata }) => metadata.annotations?.[GENERATED_BY_ANNOTATION] === name);
  const names = new Set([...(isOurs ? [ref.name] : []), ...others.map(({ metadata }) => metadata.name)]);
  let found: Readonly<Record<string, string>> = {};
  for (const each of names) {
    const live = await req.client.get(Secret, refIn(ref.namespace, each));
    if (live !== undefined && ownership(live, req.object, req.handlerNames).type === "ours") found = { ...live.data, ...found };
  }
  return found;
}

function randomValue(characters: readonly string[], length: number): string {
  return Buffer.from(Array.from({ length }, () => characters[randomInt(characters.length)]).join("")).toString("base64");
}

interface Strength {
  readonly keys: readonly string[];
  readonly length: number;
  readonly characters: readonly string[];
}

/** @throws TypeError */
function requireStrength({ keys, length, characters }: Strength): void {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError('generatedSecret: keys must list at least one key, such as ["password"]');
  const invalid = keys.find((key) => typeof key !== "string" || !SECRET_KEY.test(key));
  if (invalid !== undefined)
    throw new TypeError(`generatedSecret: ${JSON.stringify(invalid)} is not a key of a Secret: use letters, digits, "-", "_" and "."`);
  const bits = Number.isInteger(length) && length > 0 ? length * Math.log2(Math.max(1, characters.length)) : 0;
  if (!(bits >= MIN_BITS && length <= MAX_LENGTH))
    throw new TypeError(
      `generatedSecret: a length of ${length} with ${characters.length} characters gives ${Math.floor(bits)} random bits: at least ${MIN_BITS} are needed, and at most ${MAX_LENGTH} characters`,
    );
}
