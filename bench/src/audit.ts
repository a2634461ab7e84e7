/** What each user asked of the API server, from its audit log: counted the same way for every operator. */
import { readFileSync, writeFileSync } from "node:fs";

/** Flags of kube-apiserver that log one line for each finished request of the users, after `policyFile` was written. */
export function auditFlags(policyFile: string, logFile: string, users: readonly string[]): Record<string, string> {
  const rules = [{ level: "Metadata", users }, { level: "None" }];
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived", "ResponseStarted", "Panic"], rules };
  writeFileSync(policyFile, JSON.stringify(policy));
  return { "audit-policy-file": policyFile, "audit-log-path": logFile };
}

/** Requests of a user between two moments, by verb and resource, e.g. `patch configmaps`. Discovery and open watches are not counted. */
export function requestsOf(logFile: string, user: string, from: number, to: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(logFile, "utf8").split("\n")) {
    if (!line.includes(user)) continue;
    const event = parse(line);
    const at = Date.parse(event?.stageTimestamp ?? "");
    if (event?.user?.username !== user || event.objectRef?.resource === undefined || event.verb === "watch" || at < from || at > to)
      continue;
    const { resource, subresource } = event.objectRef;
    const what = `${event.verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

interface AuditEvent {
  readonly user?: { readonly username?: string };
  readonly verb?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly stageTimestamp?: string;
}

/** The last line may not be written to its end yet. */
function parse(line: string): AuditEvent | undefined {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
}
