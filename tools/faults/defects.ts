/** Operators that are wrong on purpose: what the auditor is there for. A correct one runs through here unchanged. */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";
import type { Defect, Seen } from "./messages.ts";
import { FIRST } from "./widget.ts";

/** The object that a defect is about: it always exists. */
const VICTIM = FIRST;

/** Those that are made of what comes from the server. */
const ON_THE_WAY: ReadonlySet<Defect> = new Set(["drops an event", "loses deletions", "invents an event", "never comes back"]);

/** What the operator hears of its server. */
export function defective(defect: Defect | undefined, transport: Transport): Transport {
  if (defect === undefined || !ON_THE_WAY.has(defect)) return transport;
  let watches = 0;
  return {
    close: () => transport.close(),
    async request(request) {
      const isWatch = /[?&]watch=(true|1)(&|$)/.test(request.path);
      // One watch for each of three kinds.
      if (isWatch && defect === "never comes back" && ++watches > 3) return await new Promise<never>(() => {});
      const answer = await transport.request(request);
      return isWatch && answer.stream !== undefined ? { ...answer, stream: lines(answer, request, defect) } : answer;
    },
  };
}

async function* lines({ stream }: ApiResponse, { path }: ApiRequest, defect: Defect): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream ?? []) {
    const pieces = (rest + chunk).split(/(?<=\n)/);
    rest = pieces.at(-1)?.endsWith("\n") === true ? "" : (pieces.pop() ?? "");
    for (const line of pieces) {
      const isChange = line.includes('"MODIFIED"') && path.includes("/configmaps") && line.includes(`"name":"${VICTIM}"`);
      if (isChange && defect === "drops an event") continue;
      if (defect === "loses deletions" && line.includes('"DELETED"')) continue;
      yield line;
      if (isChange && defect === "invents an event") yield invented(line);
    }
  }
}

function invented(line: string): string {
  const event = JSON.parse(line) as { readonly object: { metadata: object } };
  event.object.metadata = { ...event.object.metadata, name: "ghost", uid: "ghost" };
  return `${JSON.stringify(event)}\n`;
}

/** What the operator tells of what it saw. */
export function reporter(defect: Defect | undefined, report: (seen: Seen) => void): (seen: Seen) => void {
  if (defect !== "goes backwards") return report;
  const first = new Map<string, Seen>();
  return (seen) => {
    report(seen);
    if (seen.type !== "event" || seen.event !== "updated") return;
    const name = `${seen.kind} ${seen.key}`;
    const earlier = first.get(name) ?? seen;
    first.set(name, earlier);
    if (earlier !== seen) report(earlier);
  };
}

/** Whether a pass does nothing. */
export function forgets(defect: Defect | undefined, name: string): boolean {
  return defect === "forgets to act" && name === VICTIM;
}
