/** Admission webhooks of subresources: the status and the scale of objects, evictions and bindings of pods, and connections. */
import type { Json, Scenario, Session } from "../session.ts";
import type { Say } from "../../webhook-server.ts";
import { MERGE, withHooks } from "./sites.ts";

const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };
const alice = { "impersonate-user": "alice", "impersonate-group": "system:masters" };

function pod(name: string): Json {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [{ name: "a", image: "b" }] } };
}

const deployment: Json = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: { replicas: 2, selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod("d")["spec"] } },
};

/** The question without what differs from run to run. */
function asked({ request }: Json): Json {
  const { object, oldObject, userInfo, ...rest } = request;
  const shown = (one: Json | null): Json | null => {
    if (one === null || one["metadata"] === undefined) return one;
    const { managedFields: _, resourceVersion, uid, creationTimestamp: __, ...metadata } = one["metadata"];
    const { spec, status, ...others } = one;
    const isScale = one["kind"] === "Scale";
    return {
      ...others,
      ...(isScale ? { spec, status } : { replicas: spec?.replicas, phase: status?.phase }),
      metadata: { ...metadata, hasVersion: resourceVersion !== undefined, hasUid: uid !== undefined },
    };
  };
  return { ...rest, uid: "", user: userInfo.username, object: shown(object), oldObject: shown(oldObject) };
}

const RULE = {
  operations: ["*"],
  apiGroups: ["", "apps", "conformance.treadle.dev"],
  apiVersions: ["*"],
  resources: ["pods/*", "deployments/*", "gadgets/*"],
};

/** Sends a request and notes what the webhooks saw of it. */
async function play(session: Session, say: Say, act: (send: Session["send"]) => Promise<void>): Promise<void> {
  const seen: Json[] = [];
  const hear: Say = (review, path) => {
    seen.push({ by: path.split("?")[0], ...asked(review) });
    return say(review, path);
  };
  const send: Session["send"] = async (step, method, path, options) => {
    const answer = await session.send(step, method, path, options);
    session.note(`${step}: seen`, seen.splice(0));
    return answer;
  };
  const hooks = { mutating: { mutate: { rules: [RULE] } }, validating: { validate: { rules: [RULE] } } };
  await withHooks(session, hear, hooks, () => act(send));
}

async function prepare({ quietly, namespace, gadgets }: Session): Promise<Readonly<Record<"pods" | "deployments", string>>> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  for (const name of ["a", "b", "bound"]) await quietly("POST", pods, { body: pod(name) });
  await quietly("POST", deployments, { body: deployment });
  await quietly("POST", gadgets, {
    body: { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name: "g" }, spec: { size: 1 } },
  });
  return { pods, deployments };
}

export const webhookSubresources: readonly Scenario[] = [
  {
    name: "webhooks of subresources",
    async run(session) {
      const { quietly, namespace, gadgets } = session;
      const { pods, deployments } = await prepare(session);
      const bind = { apiVersion: "v1", kind: "Binding", metadata: { name: "bound" }, target: { kind: "Node", name: "n" } };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "b" } };
      const scale = await quietly("GET", `${deployments}/d/scale`);
      const act =
        (name: string) =>
        async (send: Session["send"]): Promise<void> => {
          const headers = { ...alice };
          const dry = name === "denied" ? {} : { query: "dryRun=All" };
          await send(`${name}: status`, "PATCH", `${gadgets}/g/status`, {
            body: { status: { phase: "Ready" } },
            headers: { ...headers, ...MERGE },
          });
          await send(`${name}: status of a pod`, "PATCH", `${pods}/a/status`, {
            body: { status: { phase: "Running" } },
            headers: { ...headers, ...STRATEGIC },
          });
          await send(`${name}: scale`, "PATCH", `${deployments}/d/scale`, {
            body: { spec: { replicas: 3 } },
            headers: { ...headers, ...MERGE },
          });
          await send(`${name}: put of a scale`, "PUT", `${deployments}/d/scale`, {
            body: { ...scale, metadata: { name: "d", namespace }, spec: { replicas: 4 } },
            headers,
          });
          await send(`${name}: apply of a scale`, "PATCH", `${deployments}/d/scale`, {
            body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "d" }, spec: { replicas: 4 } },
            query: "fieldManager=x&force=true",
            headers: { ...headers, ...APPLY },
          });
          await send(`${name}: the deployment`, "GET", `${deployments}/d`);
          await send(`${name}: scale of an absent object`, "PATCH", `${deployments}/none/scale`, {
            body: { spec: { replicas: 3 } },
            headers: { ...headers, ...MERGE },
          });
          await send(`${name}: eviction, dry`, "POST", `${pods}/b/eviction`, { body: eviction, headers, ...dry });
          await send(`${name}: eviction of an absent pod`, "POST", `${pods}/none/eviction`, {
            body: { ...eviction, metadata: { name: "none" } },
            headers,
          });
          await send(`${name}: binding`, "POST", `${pods}/bound/binding`, { body: bind, headers });
        };
      await play(session, () => ({ allowed: false, status: { message: "not you" } }), act("denied"));
      await play(session, () => ({ allowed: true, warnings: ["seen"] }), act("allowed"));
    },
  },
  {
    name: "webhooks that change a scale",
    async run(session) {
      const { deployments } = await prepare(session);
      const say: Say = ({ request }, path) =>
        path.startsWith("/mutate")
          ? {
              allowed: true,
              patchType: "JSONPatch",
              patch: Buffer.from(
                JSON.stringify([{ op: "replace", path: "/spec/replicas", value: request.object.spec.replicas + 10 }]),
              ).toString("base64"),
            }
          : { allowed: true };
      await play(session, say, async (send) => {
        const headers = { ...alice, ...MERGE };
        await send("scale", "PATCH", `${deployments}/d/scale`, { body: { spec: { replicas: 3 } }, headers });
        await send("the deployment", "GET", `${deployments}/d`);
        await send("a dry scale", "PATCH", `${deployments}/d/scale`, { body: { spec: { replicas: 4 } }, headers, query: "dryRun=All" });
      });
    },
  },
  {
    name: "webhooks of connections",
    async run(session) {
      const { pods } = await prepare(session);
      const say =
        (allowed: boolean): Say =>
        () =>
          allowed ? { allowed, warnings: ["seen"] } : { allowed, status: { message: "not you" } };
      const act =
        (name: string) =>
        async (send: Session["send"]): Promise<void> => {
          const headers = { ...alice };
          await send(`${name}: exec`, "POST", `${pods}/a/exec`, {
            query: "container=a&command=sh&command=-c&stdin=true&stdout=true&stderr=true&tty=true",
            headers,
          });
          await send(`${name}: exec by get`, "GET", `${pods}/a/exec`, { query: "command=ls&stdout=1", headers });
          await send(`${name}: attach`, "POST", `${pods}/a/attach`, { query: "container=a&stdout=true", headers });
          await send(`${name}: port forward`, "POST", `${pods}/a/portforward`, { query: "ports=80", headers });
          await send(`${name}: exec in an absent pod`, "POST", `${pods}/none/exec`, { query: "command=sh&stdout=true", headers });
          await send(`${name}: exec without a command`, "POST", `${pods}/a/exec`, { query: "stdout=true", headers });
          await send(`${name}: exec without a stream`, "POST", `${pods}/a/exec`, { query: "command=sh", headers });
          await send(`${name}: exec with a wrong option`, "POST", `${pods}/a/exec`, { query: "command=sh&stdin=perhaps", headers });
          await send(`${name}: exec by put`, "PUT", `${pods}/a/exec`, { query: "command=sh", headers });
        };
      await play(session, say(false), act("denied"));
      await play(session, say(true), act("allowed"));
    },
  },
];
