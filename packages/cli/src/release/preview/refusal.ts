/** The message of a run that is refused before it changes anything. Pure. */
import type { Ref } from "@treadle/apimachinery";
import { isMissingRight } from "../../failure.ts";
import { shown } from "../../cluster/object-name.ts";
import type { Change } from "./changes.ts";

/** So many objects are named. */
const MAX_NAMED = 10;

/** Returns what is refused, why, and what to do. */
export function refusalText(refused: readonly Change[], { name, namespace = "" }: Ref): string {
  const lines = refused.slice(0, MAX_NAMED).map(({ object, reason = "", message = "" }) => `- ${named(shown(object), message, reason)}`);
  const more = refused.length > MAX_NAMED ? [`- and ${refused.length - MAX_NAMED} more`] : [];
  const advice = [...new Set(refused.map(adviceFor))].filter((each) => each !== "");
  return [`release ${namespace}/${name} cannot be applied, and nothing was changed:`, ...lines, ...more, ...advice].join("\n");
}

function named(title: string, message: string, reason: string): string {
  return message === "" ? `${title}: ${reason}` : message.startsWith(title) ? message : `${title}: ${message}`;
}

function adviceFor({ reason, message = "" }: Change): string {
  switch (reason) {
    case "FieldConflict":
      return "--force-conflicts takes these fields. To leave a field to the other manager, remove it from the sources.";
    case "Unowned":
      return "--adopt takes existing objects that belong to nobody. `treadle delete` then deletes them, too.";
    case "OfHelm":
      return "`treadle adopt NAME --from-helm RELEASE` takes a release of Helm over.";
    case "NotOurs":
      return "Rename the objects, or remove them from their present owner first.";
    case "Immutable":
      return "Restore the old values, or let the objects be deleted and created again by the annotation treadle.dev/update-policy: recreate.";
    case "KindNotServed":
      return "Install the CRDs of these kinds first, or add them to the sources.";
    case "Forbidden":
      if (/because it is being terminated/.test(message)) return "Wait until the namespace no longer exists, or choose another one.";
      // Quotas and policies have words of their own.
      if (!isMissingRight(message)) return "";
      return "Ask for these rights, or act as another user: --as USER, --context NAME.";
    case "NamespaceNotFound":
      return "--create-namespace creates missing namespaces.";
    default:
      return "";
  }
}
