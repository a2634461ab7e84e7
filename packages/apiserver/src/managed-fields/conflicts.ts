/** Makes the answer to a conflicting apply, with the text of the real server (apimachinery `managedfields` conflict). */
import { goQuote } from "../internal/json.ts";
import type { StatusCause } from "@treadle/apimachinery";
import { applyConflict, type StatusError } from "../errors/status-errors.ts";
import { pathText } from "./elements.ts";
import { identityOf, type ManagedEntry } from "./entries.ts";
import type { FieldConflict } from "./settle.ts";

export function conflictAnswer(conflicts: readonly FieldConflict[]): StatusError {
  // On the real server the order of managers is random in the causes, and by identity in the message.
  const groups = [...Map.groupBy(conflicts, ({ manager }) => identityOf(manager))].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const causes: StatusCause[] = groups.flatMap(([, group]) =>
    group.map(({ manager, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${managerText(manager)}`,
      field: pathText(path),
    })),
  );
  return applyConflict(causes, messageOf(conflicts.length, groups));
}

function messageOf(count: number, groups: readonly (readonly [string, readonly FieldConflict[]])[]): string {
  const one = groups[0]?.[1][0];
  if (count === 1 && one !== undefined)
    return `Apply failed with 1 conflict: conflict with ${managerText(one.manager)}: ${pathText(one.path)}`;
  const lines = groups.flatMap(([, group]) => [
    `conflicts with ${group[0] === undefined ? "" : managerText(group[0].manager)}:`,
    ...group.map(({ path }) => `- ${pathText(path)}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  const name = goQuote(manager) + (subresource === "" ? "" : ` with subresource ${goQuote(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
