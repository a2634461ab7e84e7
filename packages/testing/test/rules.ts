/** A small implementation of `TestedWebhooks`, because `testing` stands before `webhooks` in the order of the packages. */
import { crdOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { Permission, Reads } from "@treadle/reconcile";
import type { TestedCallEnv, TestedWebhooks } from "../src/index.ts";

interface Request {
  readonly uid: string;
  readonly object: KubernetesObject & { readonly spec?: object };
  readonly dryRun?: boolean;
  readonly objects: readonly (KubernetesObject & { readonly spec?: object })[];
  readonly desiredAPIVersion: string;
}

type Reviewed = Pick<Request, "object" | "dryRun">;

/** What a test wants of its webhooks. */
export interface RulesOptions {
  /** Returns the spec that is stored. */
  readonly fill?: (request: Reviewed, env: TestedCallEnv) => unknown;
  /** Returns why the object is refused. */
  readonly refuse?: (request: Reviewed, env: TestedCallEnv) => string | undefined | Promise<string | undefined>;
  readonly warnings?: readonly string[];
  /** Returns the spec in a version. */
  readonly convert?: (object: Request["objects"][number], apiVersion: string) => object;
  readonly reads?: Reads<KubernetesObject>;
  readonly permissions?: readonly Permission[];
  readonly failurePolicy?: "Fail" | "Ignore";
}

export function rules(kind: Kind, options: RulesOptions): TestedWebhooks {
  const { fill, refuse, convert, warnings = [], reads = {}, permissions = [], failurePolicy = "Fail" } = options;
  const entry = (clientConfig: object): object => ({
    name: `${kind.plural}.rules.example.com`,
    clientConfig,
    failurePolicy,
    rules: [
      { operations: ["CREATE", "UPDATE"], apiGroups: [kind.group], apiVersions: [kind.version], resources: [kind.plural], scope: "*" },
    ],
    sideEffects: "None",
    timeoutSeconds: 5,
    admissionReviewVersions: ["v1"],
  });
  return {
    kind,
    reads,
    permissions,
    registration: ({ clientConfig }) => ({
      mutating: fill && entry(clientConfig(`/fill/${kind.plural}`)),
      validating: refuse && entry(clientConfig(`/refuse/${kind.plural}`)),
      definition: convert && converted(kind, clientConfig(`/convert/${kind.plural}`)),
    }),
    async answer(path, review, env) {
      const { apiVersion, kind: type, request } = review as { apiVersion: string; kind: string; request: Request };
      const respond = (response: object): object => ({ apiVersion, kind: type, response: { uid: request.uid, ...response } });
      if (path.startsWith("/convert")) {
        const to = request.desiredAPIVersion;
        const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: to, spec: convert?.(object, to) }));
        return respond({ result: { status: "Success" }, convertedObjects });
      }
      if (path.startsWith("/fill")) {
        const patch = JSON.stringify([{ op: "add", path: "/spec", value: await fill?.(request, env) }]);
        return respond({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(patch).toString("base64"), warnings });
      }
      const message = await refuse?.(request, env);
      return respond(message === undefined ? { allowed: true, warnings } : { allowed: false, status: { code: 403, message } });
    },
  };
}

function converted(kind: Kind, clientConfig: object): object {
  const crd = crdOf(kind);
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  return { ...crd, spec: { ...crd.spec, conversion } };
}
