/** What happened in a run, in order. */
import type { RecordedRequest } from "../requests.ts";

export type Target = Omit<RecordedRequest, "status">;

export type Entry =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "write"; readonly number: number; readonly target: Target; status: number; fault?: string }
  | { readonly type: "event"; readonly watch: string; readonly number: number; readonly change: string; readonly key: string }
  | { readonly type: "fault"; readonly text: string }
  | { readonly type: "restart"; readonly process: number }
  | { readonly type: "pass"; readonly key: string; readonly outcome: string }
  | { readonly type: "effect"; readonly text: string };

/** `apply secrets default/a`, `patch rwexternals/status default/a`. */
export function textOf({ verb, resource, subresource, namespace, name, body }: Target): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const created = (body as { readonly metadata?: { readonly name?: string; readonly generateName?: string } } | undefined)?.metadata;
  const called = name ?? created?.name ?? (created?.generateName === undefined ? "" : `${created.generateName}*`);
  return `${verb} ${what} ${namespace === undefined ? "" : `${namespace}/`}${called}`.trimEnd();
}
