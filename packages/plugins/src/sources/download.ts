/** Downloads by HTTPS. No redirect leads to plain HTTP, and errors show no credentials. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Options of {@link download}. */
export interface DownloadOptions {
  /** Authorities that are trusted in place of the usual ones, as PEM. */
  readonly ca?: string | undefined;
  /** Maximum size, in bytes. */
  readonly maxBytes: number;
  /** The environment that names proxies. @defaultValue `process.env` */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
}

/** GitHub needs one redirect. */
const MAX_REDIRECTS = 5;

/** Writes the answer of `url` to `file`, which must not exist, and returns its SHA-256. @throws Error that names the URL */
export async function download(url: URL, file: string, options: DownloadOptions, signal: AbortSignal): Promise<string> {
  const { ca, maxBytes, proxyEnv = process.env } = options;
  const agent = new Agent({ proxyEnv, ...(ca === undefined ? {} : { ca }) });
  try {
    const answer = await answerOf(url, agent, signal);
    const hash = createHash("sha256");
    const limit = limited(maxBytes, `the file at ${shown(url)}`);
    limit.on("data", (chunk: Uint8Array) => hash.update(chunk));
    await pipeline(answer, limit, createWriteStream(file, { flags: "wx", mode: 0o600 }), { signal });
    return hash.digest("hex");
  } finally {
    agent.destroy();
  }
}

/** A stream that fails after `maxBytes`. */
export function limited(maxBytes: number, what: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new Error(`${what} has more than ${maxBytes / 1_000_000} MB`));
      else done(null, chunk);
    },
  });
}

async function answerOf(first: URL, agent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await requested(url, agent, signal);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return answer;
    answer.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`${shown(url)} answered ${statusCode}: check that the release has this archive and that it can be read`);
    const next = URL.parse(headers.location, url.href);
    if (next?.protocol !== "https:")
      throw new Error(`${shown(url)} leads to ${next === null ? "no URL" : shown(next)}, which is not HTTPS`);
    url = next;
  }
  throw new Error(`${shown(first)} leads to more than ${MAX_REDIRECTS} other addresses`);
}

function requested(url: URL, agent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, signal, headers: { "user-agent": "treadle" } }, resolve);
    request.on("error", (cause) => reject(new Error(`${shown(url)} cannot be read: ${cause.message}`, { cause })));
  });
}

/** The URL without what may be secret: user, password, query and fragment. */
function shown({ origin, pathname }: URL): string {
  return origin + pathname;
}
