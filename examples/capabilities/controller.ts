/** The handlers: of Capabilities, whose objects plugins plan, and of Components, which provide and require them. */
import { all, conditions, dependentApply, dependentsOf, type Handler, handler, many, step } from "treadle";
import { Deployment, Secret, Service, StatefulSet } from "treadle/kinds";
import { folder, type PluginHost, pluginHost } from "treadle/plugins";
import { bind } from "./binding.ts";
import { Capability } from "./capability.ts";
import { Component } from "./component.ts";

/** The Capabilities that a Component provides. */
const provided = dependentApply(Component, {
  name: "provided",
  kind: Capability,
  each: ({ spec }) => spec.provides.map(({ name, ...rest }) => ({ key: name, spec: rest })),
  desired: (_component, _inputs, { spec }) => ({ spec }),
});

/** Finds the Capabilities that a Component requires, and waits until they are ready. */
const bound = step(Component, {
  name: "bound",
  conditions: ["Bound"],
  reads: { capabilities: many(Capability, () => ({ matchLabels: {} })) },
  do(req) {
    const { object, reads } = req;
    const bindings = object.spec.requires.map((requirement) => {
      const earlier = object.status?.bindings?.find(({ name }) => name === requirement.name)?.capability;
      return { name: requirement.name, binding: bind(requirement, reads.capabilities, earlier) };
    });
    req.status.bindings = bindings.flatMap(({ name, binding }) =>
      binding.type === "bound" ? [{ name, capability: binding.capability.metadata.name }] : [],
    );
    const problems = bindings.flatMap(({ binding }) => (binding.type === "problem" ? [binding] : []));
    const [first] = problems;
    // Nothing but a change of the Component or of a Capability helps, and each starts a pass.
    if (first !== undefined) return req.conditions.false("Bound", first.reason, problems.map(({ message }) => message).join("; ")).stop();
    const capabilities = bindings.flatMap(({ binding }) => (binding.type === "bound" ? [binding.capability] : []));
    const pending = capabilities.find((each) => !isReady(each));
    if (pending !== undefined)
      return req.conditions.false("Bound", "NotReady", `Capability ${pending.metadata.name} is not ready: ${whyNot(pending)}`).stop();
    req.conditions.true("Bound");
    return req.next({ secrets: [...new Set(capabilities.flatMap(secretsOf))].toSorted() });
  },
});

/** The server of a Component. It gets the Secrets of its Capabilities as environment. */
const server = dependentApply(Component, {
  name: "server",
  kind: Deployment,
  needs: [bound],
  desired: ({ metadata, spec }, { vars }) => {
    const labels = { component: metadata.name };
    const envFrom = vars.secrets.map((name) => ({ secretRef: { name } }));
    return {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "server", image: spec.image, envFrom }] } },
      },
    };
  },
});

/** The Secrets among the objects of a Capability, by its status: a Component needs no convention for names. */
function secretsOf(capability: Capability): readonly string[] {
  return dependentsOf(capability).flatMap(({ apiVersion, kind, name }) => (apiVersion === "v1" && kind === "Secret" ? [name] : []));
}

function readyOf({ status }: Capability): { readonly status: string; readonly message?: string | undefined } | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** Whether a Capability is ready in its present generation. */
function isReady(capability: Capability): boolean {
  return readyOf(capability)?.status === "True" && capability.status?.observedGeneration === capability.metadata.generation;
}

const whyNot = (capability: Capability): string => readyOf(capability)?.message || "it has no status yet";

export const components = handler(Component)
  .step(conditions())
  .step(all("objects", [provided, bound, server]))
  .build();

/** Makes the handler of Capabilities. Tests give another host. */
export function capabilitiesOf(host: PluginHost): Handler<Capability> {
  return handler(Capability).step(conditions()).step(host.step(Capability)).build();
}

/** The plugins of the folder, and what they may give. */
export const plugins = pluginHost({
  from: [folder(new URL("./plugins", import.meta.url).pathname)],
  kinds: { "kube-postgres": [Secret, Service, StatefulSet] },
});
export const capabilities = capabilitiesOf(plugins);
