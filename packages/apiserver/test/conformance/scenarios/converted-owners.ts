/** Field owners of a kind whose versions a webhook converts: server-side apply, and the patches of client-side apply, in each version. */
import type { Json, Scenario } from "../session.ts";
import { APPLY, FIELDS, MERGE, serveSites } from "./sites.ts";

export const convertedOwners: readonly Scenario[] = [
  {
    name: "field owners of converted versions",
    async run(session) {
      const { send } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const site = (version: string, name: string, host: string | undefined, replicas?: number): Json => {
        const [hostField, replicasField] = FIELDS[version] ?? ["", ""];
        const spec = {
          ...(host === undefined ? {} : { [hostField]: host }),
          ...(replicas === undefined ? {} : { [replicasField]: replicas }),
        };
        return { apiVersion: `${group}/${version}`, kind: "Site", metadata: { name }, spec };
      };
      const apply = (step: string, body: Json, manager: string, force = false): Promise<Json> =>
        send(step, "PATCH", path(String(body["apiVersion"]).split("/")[1] ?? "", body["metadata"].name), {
          body,
          query: `fieldManager=${manager}&force=${force}`,
          headers: APPLY,
        });
      await apply("apply in v1", site("v1", "a", "x", 3), "one");
      await apply("apply another field in v1alpha1", { ...site("v1alpha1", "a", undefined), spec: { trace: "t" } }, "two");
      await apply("apply the same value in v1alpha1", site("v1alpha1", "a", "x"), "three");
      await apply("apply another value in v1alpha1", site("v1alpha1", "a", "y"), "three");
      await apply("apply another value in v1alpha1 by force", site("v1alpha1", "a", "y"), "three", true);
      await apply("apply in v1beta1 by the first manager", site("v1beta1", "a", undefined, 3), "one");
      await apply("apply fewer fields in v1", site("v1", "a", undefined, 4), "one");
      await apply("apply no fields in v1alpha1", { ...site("v1alpha1", "a", undefined), spec: {} }, "two");
      for (const version of Object.keys(FIELDS)) await send(`read in ${version}`, "GET", path(version, "a"));
      await send("merge patch in v1beta1", "PATCH", path("v1beta1", "a"), { body: { spec: { count: 7 } }, headers: MERGE });
      await send("merge patch that removes in v1alpha1", "PATCH", path("v1alpha1", "a"), {
        body: { spec: { domain: null } },
        headers: MERGE,
      });
      await send("status in v1alpha1", "PATCH", path("v1alpha1", "a/status"), { body: { status: { phase: "Up" } }, headers: MERGE });
      await send("read at last", "GET", path("v1", "a"));
      // kubectl apply without --server-side.
      const note = "kubectl.kubernetes.io/last-applied-configuration";
      const applied = (body: Json): Json => ({
        ...body,
        metadata: { ...body["metadata"], annotations: { [note]: `${JSON.stringify(body)}\n` } },
      });
      const query = "fieldManager=kubectl-client-side-apply";
      await send("create by kubectl", "POST", path("v1alpha1"), { body: applied(site("v1alpha1", "b", "x", 2)), query });
      const { metadata } = applied(site("v1", "b", "y", 2));
      const patch = {
        apiVersion: `${group}/v1`,
        metadata: { annotations: metadata.annotations },
        spec: { host: "y", domain: null, size: null },
      };
      await send("apply of another version by kubectl", "PATCH", path("v1", "b"), { body: patch, query, headers: MERGE });
      await send("read of it", "GET", path("v1alpha1", "b"));
      await apply("server-side after kubectl", site("v1", "b", "z", 2), "kubectl");
      await apply("server-side by force after kubectl", site("v1", "b", "z", 2), "kubectl", true);
      sites.answer(() => "no way");
      await apply("apply with a failing conversion", site("v1", "a", undefined, 5), "one", true);
      sites.answer();
      await sites.stop();
    },
  },
];
