/**
 * The auditor's process: `auditor.ts OPTIONS`. It asks the server itself what there is, hears from the operator what that saw,
 * and says when both are the same, or what is wrong.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { History } from "./history.ts";
import type { AuditorOptions, Dump, FromAuditor, KindName, ToAuditor } from "./messages.ts";
import { follow, listAll, type PlainObject } from "./server-watch.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as AuditorOptions;
const PATHS: Readonly<Record<KindName, string>> = {
  Widget: `/apis/faults.treadle.dev/v1/namespaces/${options.namespace}/widgets`,
  ConfigMap: `/api/v1/namespaces/${options.namespace}/configmaps`,
  Secret: `/api/v1/namespaces/${options.namespace}/secrets`,
};
const KINDS: readonly KindName[] = ["Widget", "ConfigMap", "Secret"];
const LOOK_EVERY_MS = 100;
const history = new History();
const lag = startLag();
/** Who waits for what the operator's informers hold. */
let onDump: ((dump: Dump) => void) | undefined;

process.on("message", (message: ToAuditor) => void heard(message));
process.on("disconnect", () => process.exit());
for (const kind of KINDS) await followKind(kind);
say({ type: "ready" });

async function heard(message: ToAuditor): Promise<void> {
  const at = performance.now();
  switch (message.type) {
    case "seen":
      for (const seen of message.seen) history.saw(seen, at);
      break;
    case "wrote":
      history.wrote(message.kind, message.state);
      break;
    case "fault over":
      history.faultOver(at);
      break;
    case "dump":
      history.held(message.dump);
      onDump?.(message.dump);
      break;
    case "rest":
      await rest(at + message.withinMs);
      break;
  }
}

/** Until everything is right, or the time is over; then says which. */
async function rest(deadline: number): Promise<void> {
  for (;;) {
    const isOver = performance.now() > deadline;
    const missing = history.missing();
    const differences = isOver || missing.length === 0 ? await compare() : [];
    if (!isOver && (missing.length > 0 || differences.length > 0)) {
      await delay(LOOK_EVERY_MS);
      continue;
    }
    const { ms, what } = history.slowest();
    const problems = [...history.problems(), ...history.missing().map((each) => `missed: ${each}`), ...differences];
    const { changeCount: changes, passCount: passes, unverified } = history;
    say({ type: "verdict", verdict: { problems, recoveryMs: ms, slowest: what, changes, passes, unverified, lateMs: lag() } });
    if (problems.length === 0) history.forget();
    return;
  }
}

/** The server, asked anew, against what is known here, what the informers hold, and what the operator made of it. */
async function compare(): Promise<readonly string[]> {
  try {
    const lists = new Map<KindName, readonly PlainObject[]>();
    for (const kind of KINDS) lists.set(kind, (await listAll(options, PATHS[kind])).items);
    const own = [...lists].flatMap(([kind, items]) => {
      const there = new Map(items.map(({ metadata }) => [keyOf(metadata), `${metadata.uid}@${metadata.resourceVersion}`]));
      const known = history.present(kind);
      const isSame = known.size === there.size && [...there].every(([key, state]) => known.get(key) === state);
      return isSame ? [] : [`the auditor's own watch of ${kind} is not up to date`];
    });
    const dumped = new Promise<Dump>((resolve) => {
      onDump = resolve;
    });
    say({ type: "dump" });
    const dump = await Promise.race([dumped, delay(5_000, undefined, { ref: false })]);
    const held = dump === undefined ? ["the operator does not answer"] : history.compare(dump);
    return [...own, ...held, ...wrongStatus(lists)];
  } catch (error) {
    return [`the server cannot be asked: ${String(error)}`];
  }
}

function wrongStatus(lists: ReadonlyMap<KindName, readonly PlainObject[]>): readonly string[] {
  const valueOf = (kind: KindName, key: string): string | undefined =>
    lists.get(kind)?.find(({ metadata }) => keyOf(metadata) === key)?.data?.["value"];
  return (lists.get("Widget") ?? []).flatMap(({ metadata, spec, status }) => {
    const key = keyOf(metadata);
    const wanted = [spec?.value, valueOf("ConfigMap", key) ?? "none", decoded(valueOf("Secret", key))];
    const found = [status?.value, status?.text, status?.secret];
    return String(wanted) === String(found)
      ? []
      : [`not acted on: the status of Widget ${key} says ${String(found)}, not ${String(wanted)}`];
  });
}

function decoded(base64: string | undefined): string {
  return base64 === undefined ? "none" : Buffer.from(base64, "base64").toString();
}

async function followKind(kind: KindName): Promise<void> {
  const tell = ({ metadata, spec, data }: PlainObject, isDeleted: boolean, since?: string): void =>
    history.changed({
      kind,
      key: keyOf(metadata),
      uid: metadata.uid,
      version: metadata.resourceVersion,
      isDeleted,
      content: JSON.stringify([spec, data]),
      since,
      at: performance.now(),
    });
  await follow(options, PATHS[kind], {
    onObject: (object, isDeleted) => tell(object, isDeleted),
    onList(objects, version, since) {
      if (since !== undefined) history.gap(since, version);
      const there = new Set(objects.map(({ metadata }) => keyOf(metadata)));
      for (const [key, state] of history.present(kind)) {
        if (there.has(key)) continue;
        const uid = state.split("@")[0] ?? "";
        history.changed({ kind, key, uid, version, isDeleted: true, content: "", at: performance.now() });
      }
      for (const object of objects) tell(object, false, since);
    },
  });
}

function keyOf({ namespace, name }: PlainObject["metadata"]): string {
  return `${namespace}/${name}`;
}

function say(message: FromAuditor): void {
  process.send?.(message);
}

/** By how much timers of this process were late at most: nobody is blamed for that. */
function startLag(): () => number {
  let last = performance.now();
  let late = 0;
  setInterval(() => {
    const now = performance.now();
    late = Math.max(late, now - last - 30);
    last = now;
  }, 20).unref();
  return () => late;
}
