/** Webhooks and policies for another version than that of the request: a conversion webhook converts the objects that they see. */
import type { Json, Scenario } from "../session.ts";
import { patched, type Say } from "../../webhook-server.ts";
import { ADMISSION, APPLY, DEFINITIONS, FIELDS, MERGE, rule, seen, serveSites, withHooks } from "./sites.ts";

export const equivalentVersions: readonly Scenario[] = [
  {
    name: "webhooks of another version",
    async run(session) {
      const { send, note, upToDate } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const asked: Json[] = [];
      const say: Say = (review, at) => {
        asked.push(seen(at, review));
        const { object } = review["request"];
        if (!at.startsWith("/fill") || object === null) return { allowed: true };
        const { name } = object.metadata;
        return patched(...(object.spec?.host === undefined ? [{ op: "add", path: "/spec/host", value: `${name}.example.com` }] : []), {
          op: "add",
          path: "/spec/note",
          value: `a note on ${name}`,
        });
      };
      const site = (name: string, spec: Json, version = "v1alpha1"): Json => ({
        apiVersion: `${group}/${version}`,
        kind: "Site",
        metadata: { name },
        spec,
      });
      const told = (step: string): void => note(step, asked.splice(0));
      await withHooks(session, say, { mutating: { fill: {} }, validating: { check: {} } }, async () => {
        const alpha = path("v1alpha1");
        await send("create", "POST", alpha, { body: site("a", {}) });
        told("seen: create");
        await send("create in v1", "POST", path("v1"), { body: site("b", { replicas: 4 }, "v1") });
        told("seen: create in v1");
        await send("get in v1", "GET", path("v1", "a"));
        await send("get", "GET", path("v1alpha1", "a"));
        const { metadata } = await session.quietly("GET", path("v1alpha1", "a"));
        await upToDate(path("v1alpha1", "a"));
        await send("update", "PUT", path("v1alpha1", "a"), { body: { ...site("a", { domain: "x.example.com", size: 5 }), metadata } });
        told("seen: update");
        await upToDate(path("v1alpha1", "a"));
        await send("patch", "PATCH", path("v1alpha1", "a"), { body: { spec: { size: 6 } }, headers: MERGE });
        told("seen: patch");
        await upToDate(path("v1alpha1", "a"));
        await send("apply", "PATCH", path("v1alpha1", "a"), {
          body: site("a", { size: 7 }),
          query: "fieldManager=x&force=true",
          headers: APPLY,
        });
        told("seen: apply");
        await send("an apply that creates", "PATCH", path("v1alpha1", "c"), {
          body: site("c", { size: 7 }),
          query: "fieldManager=x",
          headers: APPLY,
        });
        told("seen: an apply that creates");
        await upToDate(path("v1alpha1", "a"));
        await send("status", "PATCH", path("v1alpha1", "a/status"), { body: { status: { phase: "Up" } }, headers: MERGE });
        told("seen: status");
        await send("dry run", "POST", alpha, { body: site("d", { size: 1 }), query: "dryRun=All" });
        told("seen: dry run");
        for (const version of Object.keys(FIELDS)) await send(`list in ${version}`, "GET", path(version));
        await upToDate(path("v1alpha1", "a"));
        await send("delete", "DELETE", path("v1alpha1", "a"));
        told("seen: delete");
        await upToDate(alpha);
        await send("delete many", "DELETE", alpha);
        told("seen: delete many");
      });
      await sites.stop();
    },
  },
  {
    name: "webhooks of several versions",
    async run(session) {
      const { send, note } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const asked: Json[] = [];
      const in_ = (version: string, more: Json = {}): Json => ({ rules: [rule(group, version)], ...more });
      const again = { reinvocationPolicy: "IfNeeded" };
      const say: Say = (review, at) => {
        asked.push(seen(at, review));
        const { object } = review["request"];
        const by = at.split("?")[0]?.slice(1) ?? "";
        if (by === "label") return patched({ op: "add", path: "/metadata/labels", value: { on: "yes" } });
        if (by === "unknown") return patched({ op: "add", path: "/spec/unknown", value: 1 }, { op: "remove", path: "/spec/replicas" });
        return by.startsWith("trace")
          ? patched({ op: "add", path: "/spec/trace", value: `${object.spec.trace ?? ""}${by},` })
          : { allowed: true };
      };
      const create = async (step: string, version: string, spec: Json = {}): Promise<void> => {
        const name = step.replaceAll(" ", "-");
        const body = { apiVersion: `${group}/${version}`, kind: "Site", metadata: { name }, spec };
        await send(step, "POST", path(version), { body });
        note(
          `seen: ${step}`,
          asked.splice(0).toSorted((a, b) => (a["by"].startsWith("/check") && b["by"].startsWith("/check") && a["by"] < b["by"] ? -1 : 0)),
        );
        await send(`stored: ${step}`, "GET", path("v1", name));
      };
      await withHooks(
        session,
        say,
        {
          mutating: {
            "trace-1": in_("v1", again),
            "trace-2": in_("v1alpha1"),
            "quiet-3": in_("v1beta1", again),
            "trace-4": in_("v1", again),
          },
          validating: { "check-1": in_("v1"), "check-2": in_("v1beta1"), "check-3": in_("v1alpha1") },
        },
        async () => {
          await create("three in v1alpha1", "v1alpha1", { domain: "x" });
          await create("three in v1", "v1", { note: "kept" });
        },
      );
      await withHooks(
        session,
        say,
        {
          mutating: {
            exact: in_("v1", { matchPolicy: "Exact" }),
            "rule-order": { rules: [rule(group, "v1beta1"), rule(group, "v1")] },
            "every-version": in_("*"),
            condition: in_("v1", { matchConditions: [{ name: "c", expression: "object.spec.host == 'x'" }] }),
            "no-condition": in_("v1", { matchConditions: [{ name: "c", expression: "has(object.spec.domain)" }] }),
            "before-label": in_("v1", { objectSelector: { matchLabels: { on: "yes" } } }),
            label: in_("v1beta1"),
            "after-label": in_("v1", { objectSelector: { matchLabels: { on: "yes" } } }),
          },
        },
        async () => {
          await create("matched", "v1alpha1", { domain: "x" });
        },
      );
      await withHooks(
        session,
        say,
        { mutating: { unknown: in_("v1") }, validating: { check: in_("v1"), "check-own": in_("v1alpha1") } },
        async () => {
          await create("an unknown field", "v1alpha1", { domain: "x" });
          await create("an unknown field in v1", "v1", { host: "x" });
        },
      );
      await sites.stop();
    },
  },
  {
    name: "webhooks of another version without a conversion",
    async run(session) {
      const { send, note, quietly, namespace, upToDate } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const asked: Json[] = [];
      const say: Say = (review, at) => {
        asked.push(seen(at, review));
        const { object } = review["request"];
        if (at.startsWith("/fill") && object !== null) {
          const isScaler = object.kind === "HorizontalPodAutoscaler";
          return patched(
            isScaler ? { op: "add", path: "/spec/minReplicas", value: 2 } : { op: "add", path: "/spec/trace", value: "filled" },
          );
        }
        return { allowed: true };
      };
      const scalers = { apiGroups: ["autoscaling"], apiVersions: ["v2"], resources: ["horizontalpodautoscalers"], operations: ["*"] };
      await withHooks(session, say, { mutating: { fill: { rules: [scalers] } }, validating: { check: { rules: [scalers] } } }, async () => {
        const target = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
        const body = {
          apiVersion: "autoscaling/v1",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "a" },
          spec: { scaleTargetRef: target, maxReplicas: 5, targetCPUUtilizationPercentage: 40 },
        };
        const scaled = `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`;
        await send("create an autoscaler", "POST", scaled, { body });
        note("seen: create an autoscaler", asked.splice(0));
        await upToDate(`${scaled}/a`);
        await send("patch an autoscaler", "PATCH", `${scaled}/a`, {
          body: { spec: { targetCPUUtilizationPercentage: 50 } },
          headers: MERGE,
        });
        note("seen: patch an autoscaler", asked.splice(0));
        await upToDate(`${scaled}/a`);
        await send("delete an autoscaler", "DELETE", `${scaled}/a`);
        note("seen: delete an autoscaler", asked.splice(0));
      });
      const events = { apiGroups: ["events.k8s.io"], apiVersions: ["v1"], resources: ["events"], operations: ["*"] };
      await withHooks(session, say, { validating: { check: { rules: [events] } } }, async () => {
        const body = {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: "e", namespace },
          involvedObject: { kind: "Namespace", name: namespace, namespace },
          reason: "Tried",
          message: "a message",
          type: "Normal",
        };
        await send("create an event", "POST", `/api/v1/namespaces/${namespace}/events`, { body });
        note("seen: create an event", asked.splice(0));
      });
      const definition = await quietly("GET", `${DEFINITIONS}/sites.${group}`);
      await quietly("PUT", `${DEFINITIONS}/sites.${group}`, {
        body: { ...definition, spec: { ...definition["spec"], conversion: { strategy: "None" } } },
      });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await withHooks(session, say, { mutating: { fill: {} }, validating: { check: {} } }, async () => {
        const body = { apiVersion: `${group}/v1alpha1`, kind: "Site", metadata: { name: "a" }, spec: { domain: "x" } };
        await send("create with None", "POST", path("v1alpha1"), { body });
        note("seen: create with None", asked.splice(0));
        await send("dry create with None", "POST", path("v1alpha1"), { body: { ...body, metadata: { name: "b" } }, query: "dryRun=All" });
        note("seen: dry create with None", asked.splice(0));
        await upToDate(path("v1alpha1", "a"));
        await send("patch with None", "PATCH", path("v1alpha1", "a"), { body: { spec: { size: 6 } }, headers: MERGE });
        note("seen: patch with None", asked.splice(0));
      });
      await sites.stop();
    },
  },
  {
    name: "policies of another version",
    async run(session) {
      const { send, quietly, namespace } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const cases: Readonly<Record<string, Json>> = {
        host: {
          validations: [
            {
              expression: "object == null || object.spec.host == 'x'",
              messageExpression: "object.spec.host + ' in ' + request.kind.version + ' for ' + request.requestKind.version",
            },
          ],
        },
        old: {
          validations: [
            { expression: "oldObject == null || oldObject.spec.host == 'x'", messageExpression: "string(oldObject.spec.host)" },
          ],
        },
        ignored: { failurePolicy: "Ignore", validations: [{ expression: "false", message: "seen" }] },
        sentinel: { validations: [{ expression: "false", message: "seen" }] },
      };
      for (const [name, spec] of Object.entries(cases)) {
        const metadata = { name: `${name}.${namespace}` };
        const matchConstraints = { matchPolicy: "Equivalent", resourceRules: [rule(group, "v1")] };
        await quietly("POST", `${ADMISSION}/validatingadmissionpolicies`, {
          body: {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingAdmissionPolicy",
            metadata,
            spec: { matchConstraints, ...spec },
          },
        });
        const matchResources = { objectSelector: { matchLabels: { case: name } } };
        await quietly("POST", `${ADMISSION}/validatingadmissionpolicybindings`, {
          body: {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingAdmissionPolicyBinding",
            metadata,
            spec: { policyName: metadata.name, validationActions: ["Deny"], matchResources },
          },
        });
      }
      const site = (label: string, name: string, domain: string): Json => ({
        apiVersion: `${group}/v1alpha1`,
        kind: "Site",
        metadata: { name, labels: { case: label } },
        spec: { domain },
      });
      for (let tries = 0; tries < 300; tries++) {
        const answer = await quietly("POST", path("v1alpha1"), { body: site("sentinel", "probe", "x"), query: "dryRun=All" });
        if (answer["kind"] === "Status") break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      for (const label of ["host", "old"]) {
        for (const domain of ["x", "y"]) {
          await send(`${label}: create ${domain}`, "POST", path("v1alpha1"), { body: site(label, `${label}-${domain}`, domain) });
          await send(`${label}: patch ${domain}`, "PATCH", path("v1alpha1", `${label}-${domain}`), {
            body: { spec: { domain: "z" } },
            headers: MERGE,
          });
          await send(`${label}: delete ${domain}`, "DELETE", path("v1alpha1", `${label}-${domain}`));
        }
      }
      for (const label of ["host", "ignored"]) {
        sites.answer((converted) => (converted["apiVersion"] === `${group}/v1` ? "no way" : converted));
        await send(`${label}: no conversion of a new object`, "POST", path("v1alpha1"), { body: site(label, `${label}-new`, "x") });
        sites.answer();
      }
      for (const name of Object.keys(cases)) {
        await quietly("DELETE", `${ADMISSION}/validatingadmissionpolicybindings/${name}.${namespace}`);
        await quietly("DELETE", `${ADMISSION}/validatingadmissionpolicies/${name}.${namespace}`);
      }
      await sites.stop();
    },
  },
  {
    name: "a changed storage version",
    async run(session) {
      const { send, note, quietly, upToDate } = session;
      const sites = await serveSites(session, "v1alpha1");
      const { group, path } = sites;
      const site = (name: string, version: string, spec: Json): Json => ({
        apiVersion: `${group}/${version}`,
        kind: "Site",
        metadata: { name },
        spec,
      });
      await quietly("POST", path("v1alpha1"), { body: site("a", "v1alpha1", { domain: "a.example.com" }) });
      await quietly("POST", path("v1alpha1"), { body: site("b", "v1alpha1", {}) });
      await quietly("POST", path("v1"), { body: site("c", "v1", { host: "c.example.com", note: "kept" }) });
      await sites.store("v1");
      await quietly("POST", path("v1alpha1"), { body: site("d", "v1alpha1", { domain: "d.example.com" }) });
      for (const version of Object.keys(FIELDS)) {
        await send(`get in ${version}`, "GET", path(version, "a"));
        await send(`list in ${version}`, "GET", path(version));
      }
      const asked: Json[] = [];
      const say: Say = (review, at) => {
        asked.push(seen(at, review));
        return { allowed: true };
      };
      await withHooks(session, say, { validating: { check: {} } }, async () => {
        for (const [version, name] of [
          ["v1alpha1", "a"],
          ["v1", "b"],
          ["v1", "c"],
        ] as const)
          await upToDate(path(version, name));
        await send("patch in v1alpha1", "PATCH", path("v1alpha1", "a"), { body: { spec: { size: 6 } }, headers: MERGE });
        note("seen: patch in v1alpha1", asked.splice(0));
        await send("patch in v1", "PATCH", path("v1", "b"), { body: { spec: { trace: "x" } }, headers: MERGE });
        note("seen: patch in v1", asked.splice(0));
        await send("patch in v1 of an annotated one", "PATCH", path("v1", "c"), { body: { spec: { trace: "x" } }, headers: MERGE });
        note("seen: patch in v1 of an annotated one", asked.splice(0));
      });
      const { metadata, ...rest } = await quietly("GET", path("v1", "b"));
      await send("an update without a change", "PUT", path("v1", "b"), { body: { metadata, ...rest } });
      for (const version of Object.keys(FIELDS)) await send(`list in ${version} after the changes`, "GET", path(version));
      await send("delete in v1alpha1", "DELETE", path("v1alpha1", "b"));
      await sites.stop();
    },
  },
];
