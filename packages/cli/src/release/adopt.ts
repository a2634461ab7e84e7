/** `treadle adopt`: takes objects that exist into a release. Without `--yes` it shows what would change, and changes nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { CliError } from "../cli-error.ts";
import { findObject } from "../cluster/find-object.ts";
import { objectArgument } from "../cluster/object-argument.ts";
import { idOf, nameOf } from "../cluster/object-name.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { wrapped } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { helmRelease } from "./adopt/helm-release.ts";
import { manifestOf } from "./adopt/live-object.ts";
import { historyMaxOf, type WriteFlags } from "./desired.ts";
import { change, type ChangeRequest, type Desired } from "./run/change.ts";
import type { WriteRules } from "./run/engine.ts";
import { onRelease, type ReleaseContext, timeoutOf } from "./session.ts";
import { showChanges } from "./show-changes.ts";
import { readRevision } from "./store/head.ts";
import { digestOfData, type ReleaseRecord, type SourceNote } from "./store/record.ts";
import { showResult } from "./view/result.ts";

/** Flags of the command. */
export interface AdoptFlags extends Omit<WriteFlags, "adopt" | "createNamespace" | "targetNamespace"> {
  readonly fromHelm?: string;
  readonly yes?: boolean;
}

/** Fields that kubectl and Helm have set, and that the objects of the release no longer name, are removed. */
const RULES: WriteRules = { adopts: true, takesHelm: false, reclaims: ["kubectl", "helm"], createsNamespaces: false };

function rulesFor({ fromHelm }: AdoptFlags): WriteRules {
  return { ...RULES, takesHelm: fromHelm !== undefined };
}

/** @throws CliError and errors of the client */
export async function runAdopt([name = "", ...words]: readonly string[], flags: AdoptFlags, terminal: Terminal): Promise<ExitCode> {
  const timeoutMs = timeoutOf(flags.timeout);
  const historyMax = historyMaxOf(flags.historyMax);
  if (words.length === 0 && flags.fromHelm === undefined)
    throw new CliError("name the objects to adopt as KIND/NAME, or a release of Helm by --from-helm RELEASE");
  return await onRelease(name, flags, terminal, async (context) => {
    const make = (record: ReleaseRecord | undefined): Promise<Desired> => desiredOf(context, { words, fromHelm: flags.fromHelm, record });
    if (flags.yes !== true) return await show(context, flags, make);
    const result = await change(context, {
      command: "adopt",
      creates: true,
      make,
      rules: rulesFor(flags),
      forces: true,
      waits: flags.wait !== false,
      timeoutMs,
      historyMax,
    });
    const code = showResult(context, result, flags);
    if (flags.fromHelm !== undefined) terminal.err(`${wrapped(helmAdvice(context, flags.fromHelm), terminal.columns)}\n`);
    return code;
  });
}

function helmAdvice({ ref }: ReleaseContext, release: string): string {
  return (
    `Helm still knows the release ${release}, and would change the objects again. To remove its record, and keep the objects: ` +
    `kubectl delete secret -n ${ref.namespace} -l owner=helm,name=${release}`
  );
}

/** The objects that the release has, and those that it adopts. */
async function desiredOf(
  { session, ref }: ReleaseContext,
  given: { readonly words: readonly string[]; readonly fromHelm: string | undefined; readonly record: ReleaseRecord | undefined },
): Promise<Desired> {
  const { words, fromHelm, record } = given;
  const present = record?.object.spec.revision ?? 0;
  const former = present === 0 ? undefined : await readRevision(session.client, ref, present, session.signal);
  const targetNamespace = former?.targetNamespace ?? ref.namespace;
  const helm = fromHelm === undefined ? undefined : await helmRelease(session, fromHelm);
  const live: KubernetesObject[] = [];
  for (const word of words) live.push(manifestOf((await findObject(objectArgument([word]), session)).object));
  const fromList = { source: words.join(" "), type: "objects", digest: digestOfData(live), objects: live.length } satisfies SourceNote;
  const fromChart =
    helm === undefined
      ? []
      : [
          {
            source: `helm release ${helm.name}, revision ${helm.revision}, ${helm.chart}`,
            type: "chart",
            digest: digestOfData(helm.objects),
            objects: helm.objects.length,
          } satisfies SourceNote,
        ];
  return {
    targetNamespace,
    objects: united([...(former?.objects ?? []), ...(helm?.objects ?? []), ...live], targetNamespace),
    sources: [...(former?.sources ?? []), ...fromChart, ...(live.length === 0 ? [] : [fromList])],
    values: helm?.values ?? former?.values ?? {},
    cause: fromHelm === undefined ? "adopt" : `adopt from Helm release ${fromHelm}`,
  };
}

/** Each object once: the last one counts. */
function united(objects: readonly KubernetesObject[], targetNamespace: string): readonly KubernetesObject[] {
  const byId = new Map<string, KubernetesObject>();
  for (const object of objects) {
    const name = nameOf(object);
    byId.set(idOf({ ...name, namespace: name.namespace ?? targetNamespace }), object);
  }
  return [...byId.values()];
}

async function show(context: ReleaseContext, flags: AdoptFlags, make: ChangeRequest["make"]): Promise<ExitCode> {
  const changes = await showChanges(context, { make, rules: rulesFor(flags), forces: true }, flags);
  const isRefused = changes.some(({ action }) => action === "refuse");
  if (!isRefused) context.terminal.err("Nothing was changed. Add --yes to adopt the objects.\n");
  return isRefused ? EXIT.failed : EXIT.ok;
}
