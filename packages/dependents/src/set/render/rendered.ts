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
import { isRetryDue, type Request } from "./inputs.ts";
import { isSameLive, NO_LIVE } from "./live-inputs.ts";
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
  const { memory, pass } = run;
  const known = await knownFor(run, request);
  if (known !== undefined) memory.endUnfinished();
  const result = known ?? (await renderNow(run, request));
  memory.followed.follow(result.live, pass);
  if ("error" in result) throw failureOf(run, result);
  return result;
}

/** Returns the error of a failed rendering. The pass in which it may be tried again is due at the right time. */
export function failureOf({ req, pass }: Run<SetDoReq>, { retryAtMs, read, error }: FailedRendering): Error {
  if (retryAtMs !== undefined) req.revisit(Math.max(0, retryAtMs - pass.clock.elapsed()), "to render again what took too long");
  // No event reports what a server serves.
  else if (read !== NO_READS) req.revisit(LOOK_AGAIN_MS, "to ask for what the renderer read of the cluster");
  return error;
}

/** Returns what an earlier pass rendered from the same inputs. @throws the error of a request for facts about the cluster */
async function knownFor(run: Run<SetDoReq>, { inputs }: Request): Promise<Rendering | FailedRendering | undefined> {
  const { req, pass, memory } = run;
  const isCurrent = ({ requested, live }: RenderedFrom): boolean => requested === inputs && isSameLive(live);
  for (const before of [memory.failed, memory.rendered]) {
    if (before === undefined || !isCurrent(before) || ("error" in before && isRetryDue(run, before))) continue;
    if (before.read === NO_READS) return before;
    const facts = await clusterFactsOf(run.context.raw, pass.clock).fetch(factsIn(before.read), req.signal);
    if (isSameCluster(before.read, facts) === true && isCurrent(before)) return before;
  }
  return undefined;
}

async function renderNow(run: Run<SetDoReq>, request: Request): Promise<Rendering | FailedRendering> {
  const { memory, state } = run;
  const { inputs } = request;
  const begun = begunFor(run, request);
  const isNew = state.inputs?.split(".")[0] !== inputs;
  let read: ClusterReads = NO_READS;
  const onFailed = (given: ClusterReads): void => void (read = given);
  try {
    let rendering = await rendered(run, request, { revision: isNew ? state.revision + 1 : state.revision, begun, onFailed });
    // What the renderer reads of the cluster is known after its call. If that has changed, the revision is another one.
    if (!isNew && rendering.inputs !== state.inputs)
      rendering = await rendered(run, request, { revision: state.revision + 1, begun, onFailed });
    Object.assign(memory, { rendered: rendering, plan: undefined, failed: undefined } satisfies Partial<typeof memory>);
    memory.endUnfinished();
    return rendering;
  } catch (error) {
    if (renderLaterIn(error) !== undefined) throw error;
    memory.endUnfinished();
    if (!isTerminalError(error)) throw error;
    return (memory.failed = failedFor(run, error, { requested: inputs, live: liveOf(begun), read }));
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
  readonly revision: number;
  readonly begun: BegunRendering;
  readonly onFailed: (read: ClusterReads) => void;
}

async function rendered(run: Run<SetDoReq>, request: Request, { revision, begun, onFailed }: Call): Promise<Rendering> {
  const { definition, context, req, pass } = run;
  const { placement, inputs } = request;
  const release = { revision, isInstall: revision <= 1 };
  const given = { reads: run.reads, vars: req.vars, release, ...placement, signal: req.signal, log: req.log };
  const { objects, read }: Rendered = await callRenderer(definition.options.objects, context.owner, withHost(given, hostFor(run, begun)), {
    step: definition.name,
    facts: clusterFactsOf(run.context.raw, pass.clock),
    signal: req.signal,
    onFailed,
  });
  const all = Object.keys(read).length === 0 ? inputs : `${inputs}.${digestOf(read).slice(0, 8)}`;
  return { inputs: all, requested: inputs, objects, read, live: liveOf(begun) };
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
