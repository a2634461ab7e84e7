/**
 * Reports failures of informers: in the log, immediately, and not again at every retry; and as the one error of a start that
 * fails because of them.
 */
import { apiVersionOf, type Clock, groupKindOf, isForbidden, isKindNotServed, type Kind } from "@treadle/apimachinery";
import type { Informer, InformerErrorSource } from "@treadle/informer";
import type { Logger } from "@treadle/reconcile";
import { ManagerError } from "../manager-error.ts";
import { errorFields, messageOf } from "../internal/error-text.ts";

/** Time in which the same message of the same informer is not logged again, in milliseconds. */
const QUIET_MS = 600_000;

/** Makes a function that logs the failures of informers. */
export function logFailures(log: Logger, clock: Clock): (error: unknown, where: InformerErrorSource, kind: Kind) => void {
  const logged = new Map<string, number>();
  return (error, where, kind) => {
    const text = messageOf(error);
    const id = `${groupKindOf(kind)} ${where} ${text}`;
    const last = logged.get(id);
    if (last !== undefined && clock.now() - last < QUIET_MS) return;
    for (const [old, at] of logged) if (clock.now() - at >= QUIET_MS) logged.delete(old);
    logged.set(id, clock.now());
    const data = { informer: groupKindOf(kind), where };
    if (where === "list" || where === "watch")
      log.warn(data, `${text.startsWith("cannot ") ? "" : `cannot ${where} ${kind.kind}: `}${text}${fixOf(error, kind)}`);
    else log.error({ ...data, ...errorFields(error) }, `informer of ${kind.kind}: ${where} failed`);
  };
}

/** Makes the error of a start whose informers have not synced in time. */
export function syncError(informers: readonly Informer[], timeoutMs: number): ManagerError {
  const late = informers.filter(({ hasSynced }) => !hasSynced);
  const errors = late.map((informer) => informer.progress().lastError);
  const lines = late.map(({ kind }, i) => {
    const error = errors[i];
    const why = error === undefined ? "the server has not answered yet" : messageOf(error);
    return `${kind.kind} (${apiVersionOf(kind)}): ${why}${fixOf(error, kind)}`;
  });
  const cause = errors.find((error) => error !== undefined);
  return new ManagerError(
    "ERR_CACHE_SYNC",
    `cannot start: not listed within ${timeoutMs / 1000} s: ${lines.join("; ")}`,
    cause === undefined ? undefined : { cause },
  );
}

function fixOf(error: unknown, kind: Kind): string {
  if (isKindNotServed(error)) return `; install the CRD ${kind.plural}.${kind.group}, or check the version ${kind.version}`;
  if (isForbidden(error)) {
    const allow = `; allow list and watch of ${kind.plural}${kind.group === "" ? "" : `.${kind.group}`} to the operator's service account`;
    const isOfAll = kind.scope === "Namespaced" && /at the cluster scope/.test(messageOf(error));
    return isOfAll ? `${allow} in all namespaces, or set createManager({ namespaces }) where its Roles are of some only` : allow;
  }
  return "";
}
