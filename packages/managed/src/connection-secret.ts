/**
 * The Secret with the connection details of an external resource, for the programs that use it.
 *
 * Guarantees
 * - A Secret that is not ours is neither read into ours nor changed. After a change of `objectName` the old one is deleted.
 * - A key that is no longer returned disappears. A key that only `create` returned stays until an observation returns it, or until the
 *   resource is created again. It also stays when the Secret moves.
 *
 * Caveats
 * - If a user deletes the Secret, keys that only `create` returned are lost: no other copy exists.
 * - They are also lost if the process ends after the create and before the Secret is written. `generatedSecret()` has no such gap.
 */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { all, one, type Step, step } from "@treadle/reconcile";
import { runtimeOf } from "@treadle/reconcile/unstable/engine";
import { type ConnectionContent, connectionContent } from "./secrets/connection-content.ts";
import { keptSecret } from "./secrets/kept-secret.ts";
import { refIn } from "./secrets/own-secrets.ts";
import { secretNameOf } from "./secrets/names.ts";
import type { External, ManagedStep } from "./types.ts";

/** The options of {@link connectionSecret}. */
export interface ConnectionSecretOptions<in T extends KubernetesObject> {
  /** The name of the Secret, or a pure function that returns it. @defaultValue `<name>-<singular>`, shortened with a hash if it is too long */
  readonly objectName?: string | ((object: T) => string);
  /** The namespace of the Secret: for cluster-scoped kinds, which have none. @defaultValue the namespace of the object */
  readonly namespace?: string;
  /** Labels of the Secret, or a pure function that returns them. @defaultValue none */
  readonly labels?: Readonly<Record<string, string>> | ((object: T) => Readonly<Record<string, string>>);
  /** The keys that are published. @defaultValue all that the managed step gives */
  readonly keys?: readonly string[];
}

/**
 * Makes a step that keeps a Secret with the connection details of a managed step, which must be in the list before it.
 *
 * @throws TypeError for a value that is not a step (untyped code)
 */
export function connectionSecret<T extends KubernetesObject, Name extends string, Seen>(
  managed: ManagedStep<T, Name, Seen>,
  options: ConnectionSecretOptions<NoInfer<T>> = {},
): Step<T, { readonly [N in Name]: External<Seen> }> {
  const runtime = runtimeOf(managed);
  if (runtime === undefined) throw new TypeError("connectionSecret: the first argument must be a step made by managed()");
  // The functions are called with objects of the step's kind only.
  const parts = partsOf(runtime.kind, managed as unknown as AnyManaged, options as unknown as ConnectionSecretOptions<KubernetesObject>);
  return all(`${runtime.name}-connection-secret`, parts) as unknown as Step<T, { readonly [N in Name]: External<Seen> }>;
}

type AnyManaged = Step<KubernetesObject, {}, Readonly<Record<string, External<unknown>>>>;

/** Two parts: the content needs a live read in rare cases, and a dependent's desired state is a pure function. */
function partsOf(
  kind: Kind,
  managed: AnyManaged,
  { objectName, namespace, labels, keys }: ConnectionSecretOptions<KubernetesObject>,
): readonly [Step<KubernetesObject, {}, {}>, Step<KubernetesObject, {}, {}>] {
  const { name } = managed;
  const nameOf = (object: KubernetesObject): string =>
    typeof objectName === "function" ? objectName(object) : (objectName ?? secretNameOf(kind, object));
  const refOf = (object: KubernetesObject): Ref => refIn(namespace ?? object.metadata.namespace, nameOf(object));
  const variable = `${name} connection`;
  const content = step(kind, {
    name: `${name}-connection-content`,
    needs: [managed],
    reads: { secret: one(Secret, refOf) },
    async do(req) {
      const external = req.vars[name] as External<unknown>; // The engine runs no step without the vars that it needs.
      const kept = await keptSecret(req, { step: name, external, ref: refOf(req.object) });
      return req.next({ [variable]: connectionContent({ step: name, keys }, external, kept) });
    },
  }) as Step<KubernetesObject, {}, Readonly<Record<string, ConnectionContent>>>;
  const secret = dependentApply(kind, {
    name: `${name}-connection`,
    kind: Secret,
    displayName: "connection Secret",
    needs: [content],
    // The garbage collector deletes it with its owner: a resource that could never be observed must hold up no deletion.
    ...(kind.scope === "Namespaced" && namespace !== undefined ? {} : { finalizer: "on-demand" }),
    objectName: nameOf,
    ...(namespace === undefined ? {} : { namespace }),
    desired: (object, { vars }) => {
      const { data, annotations } = vars[variable] as ConnectionContent; // As above.
      const given = typeof labels === "function" ? labels(object) : labels;
      return { metadata: { ...(given === undefined ? {} : { labels: given }), annotations }, data };
    },
  });
  return [content, secret];
}
