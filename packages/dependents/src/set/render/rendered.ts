/**
 * What is rendered for the inputs of a set. A renderer is called once for each version of its inputs and process, also if it fails and a
 * retry cannot fix that.
 */
import { keyOf } from "@treadle/apimachinery";
import { isTerminalError, TerminalError } from "@treadle/reconcile";
import { digestOf } from "../../core/body.ts";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import type { Run, SetDoReq } from "../pass/run.ts";
import { kindStateOf } from "../plan/kind-table.ts";
import { callRenderer, type ClusterReads, factsIn, isSameCluster, NO_READS, type Rendered } from "./cluster.ts";
import { clusterFactsOf } from "./cluster-facts.ts";
import { type RenderHost, renderLaterIn, withHost } from "./host.ts";
import { isRetryDue, isSameFor, type Request } from "./inputs.ts";
import { isSameLive, type LiveVersions, NO_LIVE } from "./live-inputs.ts";
import { isCertainlySeen, liveRecord, type OwnObjects, ownObjects, refusingLive } from "./live-objects.ts";
import { isSameSeen, type SeenObjects } from "./seen-objects.ts";
import { noAnswerIn } from "./no-answer.ts";
import { isConfigured, type ObjectConfig } from "../configured.ts";
import type { RenderContext } from "../types.ts";
import type { BegunRendering, FailedRendering, RenderedFrom, Rendering } from "./rendering.ts";

/** The code of a renderer that took too long: the machine may have been busy. */
const TOO_SLOW = "TooSlow";
/** Time after which such a renderer is called again, in milliseconds. */
const TOO_SLOW_RETRY_MS = 600_000;
/** The code of a TerminalError whose author gave none. */
const NO_CODE = "TerminalError";

/**
 * Returns the objects for these inputs: those that were rendered last, if nothing has changed.
 * @throws what the renderer throws, and again what it threw for these inputs, if that was a TerminalError
 */
export async function renderedFor(run: Run<SetDoReq>, request: Request): Promise<Rendering> {
  const { memory } = run;
  const own = await ownObjects(run);
  const known = await knownFor(run, request, own);
  if (known !== undefined) memory.endUnfinished();
  const result = known ?? (await renderNow(run, request, own));
  follow(run, result.live);
  if ("error" in result) throw failureOf(run, result);
  return result;
}

/** Follows the live inputs of a rendering. One that changed while the renderer ran triggers a pass, too. */
function follow({ memory, pass, req }: Run<SetDoReq>, live: LiveVersions): void {
  memory.followed.follow(live, pass);
  if (!isSameLive(live)) req.revisit(0, "an input of the rendering has changed");
}

/** Returns the failed rendering of certainly the same inputs, which is not tried again now. Costs no request and no digest. */
export function failedAgain(run: Run<SetDoReq>): FailedRendering | undefined {
  const { failed } = run.memory;
  return isSameFor(run, failed) && !isRetryDue(run, failed) && isCertainlySeen(run, failed.seen) ? failed : undefined;
}

/** Returns the error of a failed rendering. The pass in which it may be tried again is due at the right time. */
export function failureOf({ req, pass }: Run<SetDoReq>, { retryAtMs, read, error }: FailedRendering): Error {
  if (retryAtMs !== undefined) req.revisit(Math.max(0, retryAtMs - pass.clock.elapsed()), "to render again what took too long");
  // No event reports what a server serves.
  else if (read !== NO_READS) req.revisit(LOOK_AGAIN_MS, "to ask for what the renderer read of the cluster");
  return error;
}

/** Returns what an earlier pass rendered from the same inputs. @throws the error of a request for facts about the cluster */
async function knownFor(run: Run<SetDoReq>, { inputs }: Request, own: OwnObjects): Promise<Rendering | FailedRendering | undefined> {
  const { req, pass, memory } = run;
  const isCurrent = ({ requested, live, seen }: RenderedFrom): boolean =>
    requested === inputs && isSameLive(live) && isSameSeen(seen, own.seen);
  for (const before of [memory.failed, memory.rendered]) {
    if (before === undefined || !isCurrent(before) || ("error" in before && isRetryDue(run, before))) continue;
    if (before.read === NO_READS) return before;
    const facts = await clusterFactsOf(run.context.raw, pass.clock).fetch(factsIn(before.read), req.signal);
    if (isSameCluster(before.read, facts) === true && isCurrent(before)) return before;
  }
  return undefined;
}

async function renderNow(run: Run<SetDoReq>, request: Request, own: OwnObjects): Promise<Rendering | FailedRendering> {
  const { memory, state } = run;
  const { inputs } = request;
  const begun = begunFor(run, request);
  const isNew = state.inputs?.split(".")[0] !== inputs;
  let read: ClusterReads = NO_READS;
  const { name, options } = run.definition;
  const objects = options.live === true ? await liveRecord(run, own, request.placement.namespace) : refusingLive(name);
  const onFailed = (given: ClusterReads): void => void (read = given);
  const call: Omit<Call, "revision"> = { begun, onFailed, objects, seen: own.seen };
  try {
    let rendering = await rendered(run, request, { ...call, revision: isNew ? state.revision + 1 : state.revision });
    // What the renderer reads of the cluster is known after its call. If that has changed, the revision is another one.
    if (!isNew && rendering.inputs !== state.inputs) rendering = await rendered(run, request, { ...call, revision: state.revision + 1 });
    memory.rendered = rendering;
    memory.failed = undefined;
    memory.endUnfinished();
    return rendering;
  } catch (error) {
    const isLater = renderLaterIn(error) !== undefined;
    if (!isLater) memory.endUnfinished();
    if (!isLater && noAnswerIn(error) === undefined && isTerminalError(error))
      return (memory.failed = failedFor(run, error, { requested: inputs, live: liveOf(begun), read, seen: own.seen }));
    // A change of what the renderer named may be what it needs, or waits for.
    follow(run, liveOf(begun));
    throw error;
  }
}

/** The rendering that waits, if its inputs are the same. */
function begunFor({ memory }: Run, { inputs }: Request): BegunRendering {
  const { unfinished } = memory;
  if (unfinished?.requested === inputs && isSameLive(unfinished.live)) return unfinished;
  memory.endUnfinished();
  return (memory.unfinished = { requested: inputs, live: new Map(), results: new Map(), ends: new Map() });
}

function failedFor({ pass }: Run, { message, code, cause }: TerminalError, from: RenderedFrom): FailedRendering {
  // The reasons of the condition of a set do not name the code.
  const text = code === NO_CODE ? message : `${code}: ${message}`;
  return {
    ...from,
    // A later pass may not know the secrets that the renderer derived from those it got.
    error: new TerminalError(pass.hide(text), { code, ...(cause === undefined ? {} : { cause: pass.hideIn(cause) }) }),
    retryAtMs: code === TOO_SLOW ? pass.clock.elapsed() + TOO_SLOW_RETRY_MS : undefined,
  };
}

interface Call {
  readonly objects: RenderContext["live"];
  readonly seen: SeenObjects;
  readonly revision: number;
  readonly begun: BegunRendering;
  readonly onFailed: (read: ClusterReads) => void;
}

async function rendered(
  run: Run<SetDoReq>,
  request: Request,
  { revision, begun, onFailed, objects: live, seen }: Call,
): Promise<Rendering> {
  const { definition, context, req, pass } = run;
  const { placement, inputs } = request;
  const release = { revision, isInstall: revision <= 1 };
  const given = { live, reads: run.reads, vars: req.vars, release, ...placement, signal: req.signal, log: req.log };
  const { objects, read }: Rendered = await callRenderer(definition.options.objects, context.owner, withHost(given, hostFor(run, begun)), {
    step: definition.name,
    facts: clusterFactsOf(run.context.raw, pass.clock),
    signal: req.signal,
    onFailed,
  });
  const all = Object.keys(read).length === 0 ? inputs : `${inputs}.${digestOf(read).slice(0, 8)}`;
  return { inputs: all, requested: inputs, objects: objects.map((each) => withHiddenState(run, each)), read, live: liveOf(begun), seen };
}

/** A later pass may not know the secrets of the objects that the renderer judged. */
function withHiddenState({ pass }: Run, each: unknown): unknown {
  if (!isConfigured(each)) return each;
  const { state } = (each.config as Partial<ObjectConfig> | null) ?? {};
  return state === undefined ? each : { ...each, config: { ...each.config, state: pass.hideIn(state) } };
}

function liveOf({ live }: BegunRendering): RenderedFrom["live"] {
  return live.size === 0 ? NO_LIVE : live;
}

/** The services of the operator for a renderer. */
function hostFor(run: Run, { live, results, ends }: BegunRendering): RenderHost {
  const { definition, context, pass } = run;
  const { owner } = context;
  return {
    key: `${owner.metadata.uid ?? keyOf(owner.metadata)} ${pass.handler.name} ${definition.name}`,
    prefixes: pass.handler.names,
    clock: pass.clock,
    shared: (key, make) => pass.shared(key, make),
    waker: () => pass.waker(),
    hide: (text) => pass.hide(text),
    conceal: (texts) => pass.conceal(texts),
    // The first version counts: the renderer may already have used it.
    dependsOn: (input) => void (live.has(input) || live.set(input, input.version)),
    atEnd: (key, end) => void ends.set(key, end),
    refusalOf: (name) => {
      const kind = definition.kinds === undefined ? undefined : kindStateOf(run, name);
      return kind?.type === "unlisted" ? kind.message : undefined;
    },
    results,
  };
}
