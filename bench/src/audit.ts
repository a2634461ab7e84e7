/** What each user asked of the API server, from its audit log: counted the same way for every operator. */
import { closeSync, existsSync, openSync, readSync, statSync, writeFileSync } from "node:fs";

/** Flags of kube-apiserver that log one line for each finished request of the users, after `policyFile` was written. */
export function auditFlags(policyFile: string, logFile: string, users: readonly string[]): Record<string, string> {
  const rules = [{ level: "Metadata", users }, { level: "None" }];
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived", "ResponseStarted", "Panic"], rules };
  writeFileSync(policyFile, JSON.stringify(policy));
  // Without a size the log begins anew after 100 MB.
  return { "audit-policy-file": policyFile, "audit-log-path": logFile, "audit-log-maxsize": "100000" };
}

/** Where the log ends now, for {@link requestsOf}. */
export function auditEnd(logFile: string): number {
  return existsSync(logFile) ? statSync(logFile).size : 0;
}

/** Requests of a user since the log had so many bytes, by verb and resource, e.g. `patch configmaps`. Discovery and watches are not counted. */
export function requestsOf(logFile: string, user: string, since: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of textFrom(logFile, since).split("\n")) {
    if (!line.includes(user)) continue;
    const event = parse(line);
    if (event?.user?.username !== user || event.objectRef?.resource === undefined || event.verb === "watch") continue;
    const { resource, subresource } = event.objectRef;
    const what = `${event.verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

function textFrom(file: string, since: number): string {
  const bytes = Buffer.alloc(Math.max(0, auditEnd(file) - since));
  if (bytes.length === 0) return "";
  const descriptor = openSync(file, "r");
  try {
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, since));
  } finally {
    closeSync(descriptor);
  }
}

interface AuditEvent {
  readonly user?: { readonly username?: string };
  readonly verb?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** The last line may not be written to its end yet. */
function parse(line: string): AuditEvent | undefined {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
}
