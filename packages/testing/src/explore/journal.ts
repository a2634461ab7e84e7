/** The journal of a run: everything that happened, oldest first. */
import type { RecordedRequest } from "../requests.ts";

/** A request, without the status of its answer. */
export type Target = Omit<RecordedRequest, "status">;

/** An entry of the journal. */
export type Entry =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "write"; readonly number: number; readonly target: Target; status: number; fault?: string }
  | { readonly type: "event"; readonly watch: string; readonly number: number; readonly change: string; readonly key: string }
  | { readonly type: "fault"; readonly text: string }
  | { readonly type: "restart"; readonly process: number }
  | { readonly type: "pass"; readonly key: string; readonly outcome: string }
  | { readonly type: "effect"; readonly text: string };

/** A write of the operator, with its number in the run. */
export interface Write {
  readonly number: number;
  readonly target: Target;
}

/** An event that the operator received. */
export interface SeenEvent {
  readonly watch: string;
  readonly number: number;
  readonly type: string;
  readonly key: string;
}

/** Returns an id for each creation of an object, as in a snapshot: `Job default/a`, `Secret default/b-*`. */
export function madeIn(journal: readonly Entry[]): readonly string[] {
  return journal.flatMap((entry) => {
    if (entry.type !== "write" || entry.status !== 201) return [];
    const { kind } = (entry.target.body ?? {}) as { readonly kind?: string };
    return kind === undefined || entry.target.subresource !== undefined || isDryRun(entry.target) ? [] : [`${kind} ${keyOf(entry.target)}`];
  });
}

/** Describes a request: `apply secrets default/a`, `patch rwexternals/status default/a`. */
export function textOf(target: Target): string {
  const { verb, resource, subresource } = target;
  const text = `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`} ${keyOf(target)}`.trimEnd();
  return isDryRun(target) ? `${text}, a dry run` : text;
}

/** Whether the server only checks the write and stores nothing. */
function isDryRun({ path }: Target): boolean {
  return /[?&]dryRun=All(&|$)/.test(path);
}

function keyOf({ namespace, name, body }: Target): string {
  const created = (body as { readonly metadata?: { readonly name?: string; readonly generateName?: string } } | undefined)?.metadata;
  const called = name ?? created?.name ?? (created?.generateName === undefined ? "" : `${created.generateName}*`);
  return `${namespace === undefined ? "" : `${namespace}/`}${called}`;
}
