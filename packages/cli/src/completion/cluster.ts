/** Candidates from the cluster: kinds, objects and namespaces. A shell waits for them, so what takes long or fails gives none. */
import { metadataOnly } from "@treadle/apimachinery";
import type { DiscoveredKind } from "@treadle/client";
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import type { ServedKinds } from "../cluster/served-kinds.ts";
import { onCluster, type Session } from "../cluster/session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Candidate, type Line, matching } from "./asked.ts";
import type { Reply } from "./reply.ts";

/** Maximum time for one answer, in milliseconds. A person who presses Tab waits no longer. */
const MAX_WAIT_MS = 3_000;
/** Maximum number of names in one answer. */
const MAX_NAMES = 500;

/** Returns kinds, or the objects of a kind that was named, for `KIND/NAME` and `KIND NAME`. */
export function objectReply(part: string, { operands, flags }: Line, terminal: Terminal): Promise<Reply> {
  return fromCluster(flags, terminal, async (session) => {
    const slash = part.indexOf("/");
    if (slash !== -1) {
      const before = part.slice(0, slash + 1);
      const names = await namesOf(session.kinds.resolve(part.slice(0, slash)), session);
      return { type: "words", words: matching(words(names, before), part) };
    }
    const [kind] = operands;
    if (kind === undefined) return { type: "words", words: matching(kindWords(session.kinds), part), isPart: true };
    if (kind.includes("/") || operands.length > 1) return NOTHING;
    return { type: "words", words: matching(words(await namesOf(session.kinds.resolve(kind), session)), part) };
  });
}

/** Returns the namespaces for the value of a flag. */
export function namespaceReply(part: string, before: string, { flags }: Line, terminal: Terminal): Promise<Reply> {
  return fromCluster(flags, terminal, async (session) => {
    const names = await namesOf(session.kinds.resolve("namespaces"), session);
    return { type: "words", words: matching(words(names, before), before + part) };
  });
}

/** What a shell shows where there is nothing to choose from. */
export const NOTHING: Reply = { type: "words", words: [] };

async function fromCluster(flags: ConnectionFlags, terminal: Terminal, work: (session: Session) => Promise<Reply>): Promise<Reply> {
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  try {
    return await onCluster(flags, { ...terminal, signal }, work);
  } catch {
    // A message would be written into the line that the user types.
    return NOTHING;
  }
}

function words(names: readonly string[], before = ""): readonly Candidate[] {
  return names.map((name) => ({ value: before + name, description: "" }));
}

async function namesOf(kind: DiscoveredKind, { client, namespace, signal }: Session): Promise<readonly string[]> {
  const where = kind.scope === "Namespaced" ? { namespace } : {};
  const { items } = await client.list(metadataOnly(kind), { ...where, signal, limit: MAX_NAMES });
  return items.map(({ metadata }) => metadata.name);
}

/** One word for each kind that can be read. Kinds of several groups have their group. */
function kindWords(kinds: ServedKinds): readonly Candidate[] {
  const readable = kinds.preferred().filter(({ verbs }) => verbs.includes("get") && verbs.includes("list"));
  const count = Map.groupBy(readable, wordOf);
  return readable.map((kind) => {
    const word = wordOf(kind);
    const isAmbiguous = (count.get(word) ?? []).length > 1;
    return { value: `${isAmbiguous && kind.group !== "" ? `${kind.plural}.${kind.group}` : word}/`, description: kind.group };
  });
}

function wordOf({ singular, kind }: DiscoveredKind): string {
  return singular === "" ? kind.toLowerCase() : singular;
}
