/** Admission webhooks: which are called, with what, and the effect of their answers. */
import type { Json, Scenario, Session } from "../session.ts";
import { patched, type Say, serveWebhook } from "../../webhook-server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

interface Hooks {
  readonly url: string;
  readonly ca: string;
}

/** Returns a webhook for the namespace of the session. `more` overrides its fields. */
function hook(session: Session, { url, ca }: Hooks, name: string, more: Json = {}): Json {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `${url}/${name}`, caBundle: ca },
    rules: [
      {
        operations: ["*"],
        apiGroups: ["", "conformance.treadle.dev"],
        apiVersions: ["*"],
        resources: ["configmaps", "gadgets/*", "gadgets"],
      },
    ],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": session.namespace } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

/** Registers webhooks while `act` runs. */
async function withHooks(
  session: Session,
  say: Say,
  hooks: (served: Hooks) => { readonly mutating?: readonly Json[]; readonly validating?: readonly Json[] },
  act: () => Promise<unknown>,
): Promise<void> {
  const { namespace, quietly } = session;
  const server = await serveWebhook(say);
  const { mutating = [], validating = [] } = hooks(server);
  const made: string[] = [];
  for (const [kind, webhooks] of [
    ["Mutating", mutating],
    ["Validating", validating],
  ] as const) {
    if (webhooks.length === 0) continue;
    const path = `${GROUP}/${kind.toLowerCase()}webhookconfigurations`;
    const body = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: namespace },
      webhooks,
    };
    const answer = await quietly("POST", path, { body });
    if (answer["kind"] !== body.kind) throw new Error(`${body.kind} is refused: ${JSON.stringify(answer)}`);
    made.push(`${path}/${namespace}`);
  }
  try {
    // The real server learns of them through a watch.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await act();
  } finally {
    for (const path of made) await quietly("DELETE", path);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await server.close();
  }
}

const configMap = (name: string, data: Json = {}, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
  data,
});

/** A denial with the question in its message, so that the questions are compared, too. */
const tell: Say = ({ request }) => ({ allowed: false, status: { message: JSON.stringify(sorted(withoutManagers(request))) } });

function withoutManagers(request: Json): Json {
  const drop = (object: Json | null): Json | null => {
    if (object === null) return null;
    const { managedFields: _, resourceVersion, ...metadata } = object["metadata"] ?? {};
    return { ...object, metadata: { ...metadata, hasVersion: resourceVersion !== undefined } };
  };
  return { ...request, object: drop(request["object"]), oldObject: drop(request["oldObject"]) };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

const alice = { "impersonate-user": "alice", "impersonate-group": "system:masters" };

export const webhooks: readonly Scenario[] = [
  {
    name: "webhook reviews",
    async run(session) {
      const { send, quietly, namespace, gadgets } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      await quietly("POST", maps, { body: configMap("old", { a: "1" }) });
      for (const phase of ["mutating", "validating"] as const) {
        await withHooks(
          session,
          tell,
          (served) => ({ [phase]: [hook(session, served, "tell")] }),
          async () => {
            await send(`${phase}: create`, "POST", maps, { body: configMap("new", { a: "1" }), headers: alice });
            await send(`${phase}: create with options`, "POST", maps, {
              body: configMap("new"),
              headers: alice,
              query: "dryRun=All&fieldManager=m&fieldValidation=Strict",
            });
            await send(`${phase}: update`, "PUT", `${maps}/old`, { body: configMap("old", { a: "2" }), headers: alice });
            await send(`${phase}: patch`, "PATCH", `${maps}/old`, {
              body: { data: { b: "1" } },
              headers: { ...alice, "content-type": "application/merge-patch+json" },
            });
            await send(`${phase}: delete`, "DELETE", `${maps}/old`, { headers: alice });
            await send(`${phase}: custom`, "POST", gadgets, {
              body: { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name: "g" }, spec: { size: 1 } },
              headers: alice,
            });
          },
        );
      }
      await withHooks(
        session,
        tell,
        (served) => ({ mutating: [hook(session, served, "tell")] }),
        async () => {
          const { metadata: _, ...named } = configMap("x");
          await send("mutating: generated name", "POST", maps, { body: { ...named, metadata: { generateName: "gen-" } }, headers: alice });
        },
      );
    },
  },
  {
    name: "webhook answers",
    async run(session) {
      const { send, namespace } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const answers: Readonly<Record<string, ReturnType<Say>>> = {
        denied: { allowed: false },
        message: { allowed: false, status: { message: "no" } },
        reason: { allowed: false, status: { reason: "Because" } },
        code: { allowed: false, status: { code: 418, message: "short and stout", reason: "Teapot", details: { name: "pot" } } },
        success: { allowed: false, status: { code: 200, status: "Success" } },
        warnings: { allowed: true, warnings: ["careful", 'with "quotes"'] },
        "denied-warnings": { allowed: false, warnings: ["careful"] },
        uid: { allowed: true, uid: "another" },
        "no-response": { raw: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}' },
        "status-500": { raw: "broken", status: 500 },
        "status-404": { raw: "", status: 404 },
        patch: patched({ op: "add", path: "/data/added", value: "x" }, { op: "add", path: "/metadata/labels", value: { by: "hook" } }),
        "patch-name": patched({ op: "add", path: "/data", value: { "not a key!": "x" } }),
        "patch-missing": patched({ op: "remove", path: "/data/none" }),
        "patch-no-type": { allowed: true, patch: "W10=" },
        "patch-bad": { allowed: true, patchType: "JSONPatch", patch: "ew==" },
      };
      const say: Say = ({ request }) => answers[String(request.object?.metadata?.name)] ?? { allowed: true };
      await withHooks(
        session,
        say,
        (served) => ({ mutating: [hook(session, served, "answers")] }),
        async () => {
          for (const name of Object.keys(answers)) await send(`mutating: ${name}`, "POST", maps, { body: configMap(name, { a: "1" }) });
        },
      );
      await withHooks(
        session,
        say,
        (served) => ({ validating: [hook(session, served, "answers")] }),
        async () => {
          for (const name of Object.keys(answers))
            await send(`validating: ${name}`, "POST", maps, { body: configMap(name, { a: "1" }), query: "dryRun=All" });
        },
      );
    },
  },
  {
    name: "webhook rules",
    async run(session) {
      const { send, namespace, quietly } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const say: Say = (_, path) => ({ allowed: true, warnings: [path.split("?")[0] ?? ""] });
      const rule = (more: Json): Json => ({
        operations: ["*"],
        apiGroups: [""],
        apiVersions: ["v1"],
        resources: ["configmaps"],
        scope: "*",
        ...more,
      });
      const condition = (expression: string): Json => ({ matchConditions: [{ name: "c", expression }] });
      const kinds: Readonly<Record<string, Json>> = {
        create: { rules: [rule({ operations: ["CREATE"] })] },
        update: { rules: [rule({ operations: ["UPDATE"] })] },
        delete: { rules: [rule({ operations: ["DELETE"] })] },
        secrets: { rules: [rule({ resources: ["secrets"] })] },
        cluster: { rules: [rule({ scope: "Cluster" })] },
        namespaced: { rules: [rule({ scope: "Namespaced" })] },
        every: { rules: [rule({ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] })] },
        subresources: { rules: [rule({ resources: ["configmaps/*"] })] },
        labelled: { objectSelector: { matchLabels: { on: "yes" } } },
        unlabelled: { objectSelector: { matchExpressions: [{ key: "on", operator: "DoesNotExist" }] } },
        condition: condition("object != null && object.metadata.name == 'a'"),
        "no-condition": condition("object == null || object.metadata.name == 'b'"),
        user: condition("request.userInfo.username.startsWith('al')"),
        "on-delete": condition("request.operation == 'DELETE' && oldObject.data.k == 'v'"),
      };
      const all = (served: Hooks): readonly Json[] => Object.entries(kinds).map(([name, more]) => hook(session, served, name, more));
      await withHooks(
        session,
        say,
        (served) => ({ mutating: all(served) }),
        async () => {
          await send("create", "POST", maps, { body: configMap("a", { k: "v" }), headers: alice });
          await send("create with a label", "POST", maps, { body: configMap("b", {}, { labels: { on: "yes" } }) });
          await send("update that adds the label", "PUT", `${maps}/a`, { body: configMap("a", { k: "v" }, { labels: { on: "yes" } }) });
          await send("an apply", "PATCH", `${maps}/a`, {
            body: configMap("a", { l: "w" }),
            query: "fieldManager=x",
            headers: { "content-type": "application/apply-patch+yaml" },
          });
          await send("delete", "DELETE", `${maps}/a`);
          await send("delete many", "DELETE", maps);
        },
      );
      await withHooks(
        session,
        say,
        (served) => ({
          mutating: [
            hook(session, served, "effects", { sideEffects: "NoneOnDryRun" }),
            hook(session, served, "broken", condition("object.none == 1")),
          ],
        }),
        async () => {
          await send("a condition that fails", "POST", maps, { body: configMap("c") });
        },
      );
      await quietly("DELETE", maps);
    },
  },
  {
    name: "webhook failures",
    async run(session) {
      const { send, namespace } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      await withHooks(
        session,
        () => "silence",
        (served) => ({
          mutating: [hook(session, served, "open", { timeoutSeconds: 1, failurePolicy: "Ignore" })],
          validating: [hook(session, served, "closed", { timeoutSeconds: 1 })],
        }),
        async () => {
          const answer = await session.quietly("POST", maps, { body: configMap("a") });
          await send(`no answer: ${String(answer["message"]).replaceAll(/:\d+/g, ":PORT")}`, "GET", `${maps}/a`);
        },
      );
      await withHooks(
        session,
        () => ({ allowed: true }),
        ({ url }) => ({ validating: [hook(session, { url, ca: "" }, "ca", { clientConfig: { url } })] }),
        async () => {
          const answer = await session.quietly("POST", maps, { body: configMap("a") });
          await send(`unknown authority: ${String(answer["message"]).replaceAll(/:\d+/g, ":PORT")}`, "GET", `${maps}/a`);
        },
      );
      await withHooks(
        session,
        () => ({ allowed: true }),
        ({ ca }) => ({ validating: [hook(session, { url: "https://127.0.0.1:9", ca }, "refused")] }),
        async () => {
          await send("refused", "POST", maps, { body: configMap("a") });
        },
      );
      await withHooks(
        session,
        () => ({ allowed: true }),
        ({ ca }) => ({
          validating: [hook(session, { url: "", ca }, "service", { clientConfig: { service: { namespace, name: "none" }, caBundle: ca } })],
        }),
        async () => {
          await send("no service", "POST", maps, { body: configMap("a") });
        },
      );
      await withHooks(
        session,
        () => ({ allowed: true }),
        (served) => ({ mutating: [hook(session, served, "other")], validating: [hook(session, served, "dry")] }),
        async () => {
          await send("dry run", "POST", maps, { body: configMap("a"), query: "dryRun=All" });
        },
      );
    },
  },
  {
    name: "webhook reinvocation",
    async run(session) {
      const { send, namespace } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const trace: Say = ({ request }, path) => {
        const name = path.split("?")[0]?.slice(1) ?? "";
        const { trace: before = "" } = request.object.data ?? {};
        return name.startsWith("quiet")
          ? { allowed: true, warnings: [`${name} sees ${before}`] }
          : patched({ op: "add", path: "/data/trace", value: `${before}${name},` });
      };
      const again = { reinvocationPolicy: "IfNeeded" };
      await withHooks(
        session,
        trace,
        (served) => ({
          mutating: [
            hook(session, served, "quiet-again", again),
            hook(session, served, "again", again),
            hook(session, served, "once"),
            hook(session, served, "last", again),
            hook(session, served, "quiet-last", again),
          ],
        }),
        async () => {
          await send("create", "POST", maps, { body: configMap("a", { trace: "" }) });
        },
      );
    },
  },
  {
    name: "webhook owners",
    async run(session) {
      const { send, namespace, gadgets } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const add: Say = ({ request }) =>
        request.operation === "DELETE"
          ? { allowed: true }
          : patched({ op: "add", path: "/metadata/annotations", value: { by: `hook-${request.operation}` } });
      await withHooks(
        session,
        add,
        (served) => ({ mutating: [hook(session, served, "add")] }),
        async () => {
          await send("create", "POST", maps, { body: configMap("a", { k: "v" }) });
          await send("update", "PUT", `${maps}/a`, { body: configMap("a", { k: "w" }) });
          await send("patch that changes nothing", "PATCH", `${maps}/a`, {
            body: {},
            headers: { "content-type": "application/merge-patch+json" },
          });
          await send("an apply that creates", "PATCH", `${maps}/b`, {
            body: configMap("b", { l: "w" }),
            query: "fieldManager=x",
            headers: { "content-type": "application/apply-patch+yaml" },
          });
          await send("an apply", "PATCH", `${maps}/b`, {
            body: configMap("b", { l: "x" }),
            query: "fieldManager=x",
            headers: { "content-type": "application/apply-patch+yaml" },
          });
          const gadget = { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name: "g" }, spec: { size: 1 } };
          await send("custom", "POST", gadgets, { body: gadget });
          await send("custom status", "PATCH", `${gadgets}/g/status`, {
            body: { status: { phase: "Up" } },
            headers: { "content-type": "application/merge-patch+json" },
          });
        },
      );
    },
  },
  {
    name: "webhooks that change metadata",
    async run(session) {
      const { send, quietly, namespace, gadgets } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const gadget = { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", spec: { size: 1 } };
      const changes: Readonly<Record<string, object>> = {
        "other-namespace": { op: "replace", path: "/metadata/namespace", value: "default" },
        "no-namespace": { op: "remove", path: "/metadata/namespace" },
        "other-name": { op: "replace", path: "/metadata/name", value: "renamed" },
        "other-uid": { op: "add", path: "/metadata/uid", value: "other" },
        "other-version": { op: "add", path: "/metadata/resourceVersion", value: "7" },
      };
      const names = Object.keys(changes).flatMap((name) => [`old-${name}`, name]);
      for (const name of names.filter((one) => one.startsWith("old-"))) {
        await quietly("POST", maps, { body: configMap(name) });
        await quietly("POST", gadgets, { body: { ...gadget, metadata: { name } } });
      }
      const say: Say = ({ request }) => {
        const change = changes[String(request.object?.metadata?.name).replace("old-", "")];
        if (request.object?.data?.denied === "yes") return { allowed: false };
        return change === undefined ? { allowed: true } : patched(change);
      };
      await withHooks(
        session,
        say,
        (served) => ({ mutating: [hook(session, served, "change")] }),
        async () => {
          for (const name of names) {
            const [method, below] = name.startsWith("old-") ? (["PUT", `/${name}`] as const) : (["POST", ""] as const);
            await send(`${method} ${name}`, method, maps + below, { body: configMap(name, { a: "1" }) });
            if (method === "PUT") await patchGadget(name);
            else await send(`custom: POST ${name}`, "POST", gadgets, { body: { ...gadget, metadata: { name } } });
          }
          const stale = configMap("old-other-name", { denied: "yes" }, { resourceVersion: "1" });
          await send("a stale update that is denied", "PUT", `${maps}/old-other-name`, { body: stale });
        },
      );

      async function patchGadget(name: string): Promise<void> {
        const headers = { "content-type": "application/merge-patch+json" };
        await send(`custom: PATCH ${name}`, "PATCH", `${gadgets}/${name}`, { body: { spec: { size: 2 } }, headers });
      }
    },
  },
];
