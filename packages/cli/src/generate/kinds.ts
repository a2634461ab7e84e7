/** The kinds that a loaded program uses. Pure. */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import type { LoadedProgram } from "@treadle/controller/unstable/program";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { webhookDeploymentOf } from "@treadle/webhooks/unstable/deployment";

/** What of a program names kinds. */
export type ProgramKinds = Pick<LoadedProgram, "handlers" | "runnables">;

/** Returns the kinds that handlers reconcile, in their order, each group and kind once. */
export function reconciledKinds({ handlers }: ProgramKinds): readonly Kind[] {
  return once(handlers.map(({ kind }) => kind));
}

/** Returns all kinds that handlers and runnables declare: reconciled ones first, then those that are read, owned, watched, permitted or reviewed. */
export function declaredKinds(program: ProgramKinds): readonly Kind[] {
  return once([
    ...reconciledKinds(program),
    ...program.handlers.flatMap((handler) => {
      const { leaves, watches } = pipelineOf(handler);
      return [
        ...leaves.flatMap(({ reads, cleanupReads, owns, permissions }) => [
          ...Object.values({ ...cleanupReads, ...reads }).map(({ kind }) => kind),
          ...owns,
          ...permissions.map(({ kind }) => kind),
        ]),
        ...watches.map(({ kind }) => kind),
      ];
    }),
    ...program.runnables.flatMap(({ reads = [], permissions = [] }) => [...reads, ...permissions].map(({ kind }) => kind)),
    ...program.runnables.flatMap((runnable) => webhookDeploymentOf(runnable)?.kinds ?? []),
  ]);
}

/** A kind of `defineResource` stands for the same kind without its schema. */
function once(kinds: readonly Kind[]): readonly Kind[] {
  const found = new Map<string, Kind>();
  for (const kind of kinds) {
    const id = groupKindOf(kind);
    if (found.get(id)?.resource === undefined && (kind.resource !== undefined || !found.has(id))) found.set(id, kind);
  }
  return [...found.values()];
}
