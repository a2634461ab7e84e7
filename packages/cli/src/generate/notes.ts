/** What a program does not tell of its deployment. Pure. */
import { apiVersionOf, type Kind } from "@treadle/apimachinery";
import type { LoadedProgram } from "@treadle/controller/unstable/program";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { declaredKinds } from "./kinds.ts";
import type { Operator } from "./operator.ts";
import { isPluginHost, isTargets } from "./runnables.ts";

/** Returns what could not be known, each with what a person can do about it, in a stable order. */
export function notesOf(program: LoadedProgram, operator: Operator): readonly string[] {
  return [
    ...managerNotes(program, operator),
    ...program.handlers.flatMap(allRightsNotes),
    ...runnableNotes(program),
    ...foreignNotes(declaredKinds(program)),
    ...webhookNotes(operator),
  ];
}

function managerNotes({ managers }: LoadedProgram, { module, probesPort, metrics }: Operator): readonly string[] {
  const [manager] = managers;
  if (manager === undefined)
    return [`${module} starts no manager, so the defaults of createManager are assumed. Name the module that starts it.`];
  const { configFile, metrics: given } = manager;
  const tls = given === false ? undefined : given?.tls;
  return [
    ...(managers.length > 1 ? [`${module} starts ${managers.length} managers: ports and times are those of the first one.`] : []),
    ...(configFile === undefined
      ? []
      : [`The settings of ${configFile} are used. The image, or a ConfigMap in an overlay, must have the file.`]),
    ...(probesPort === undefined ? ["The kubelet can reach no probes, so the Deployment has none. Give createManager a probes port."] : []),
    ...(metrics === undefined && given !== false
      ? ["Nobody can reach the metrics: their port is 0, or they are on loopback. Give createManager a metrics port."]
      : []),
    ...(tls === undefined
      ? []
      : [
          `The metrics need the files ${tls.certFile} and ${tls.keyFile}. Mount a Secret with them in an overlay, or by extraVolumes of the chart. ` +
            `Give the ServiceMonitor their authority in tlsConfig.ca.`,
        ]),
  ];
}

function allRightsNotes(handler: LoadedProgram["handlers"][number]): readonly string[] {
  return pipelineOf(handler).leaves.flatMap(({ name, allRights }) =>
    allRights === undefined
      ? []
      : [
          `Step "${name}" of ${handler.name} has all rights${allRights.because === undefined ? "" : `: ${allRights.because}`}. ` +
            `Name its kinds in the program, or replace the rule in an overlay.`,
        ],
  );
}

function runnableNotes({ runnables }: LoadedProgram): readonly string[] {
  const named = (name: string | undefined): string => JSON.stringify(name ?? "(unnamed)");
  return runnables.flatMap((runnable) => {
    if (isPluginHost(runnable))
      return [
        `Host ${named(runnable.name)} finds its plugins when it runs. Add their sidecars or files to the Deployment in an overlay: docs/plugins.md.`,
      ];
    if (isTargets(runnable))
      return [
        "Objects in target clusters need rights there, which are those of the kubeconfigs and accounts that owners name: docs/targets.md.",
      ];
    return [];
  });
}

function foreignNotes(kinds: readonly Kind[]): readonly string[] {
  const foreign = kinds.filter((kind) => kind.resource === undefined && isCustom(kind));
  if (foreign.length === 0) return [];
  const names = foreign.map((kind) => `${kind.kind} (${apiVersionOf(kind)})`).toSorted();
  return [`These kinds are installed by others: ${names.join(", ")}.`];
}

/** Kubernetes reserves `*.k8s.io` for itself and its projects. */
function isCustom({ group }: Kind): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

function webhookNotes({ webhooks, isElected }: Operator): readonly string[] {
  if (webhooks === undefined) return [];
  const { service, tls } = webhooks;
  return [
    ...(service === undefined
      ? ["webhookServer has a url, which is for development: its manifests are left out. Give it service: { name, namespace }."]
      : []),
    ...(tls === undefined || service === undefined
      ? []
      : [`cert-manager must be installed: it writes ${tls.certFile}, and the CA into the webhook configurations.`]),
    ...(isElected || service === undefined
      ? []
      : [
          "Without leader election there is one pod, and while it restarts, its webhooks do not answer. Use createManager({ leaderElection: true }).",
        ]),
  ];
}
