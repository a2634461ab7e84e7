/**
 * Decides who may read the metrics. It asks the API server for the user of a token (TokenReview), and whether that user may
 * `get` the path (SubjectAccessReview). While the server cannot be asked, nobody may. Verdicts are cached for a minute.
 */
import { createHash } from "node:crypto";
import type { Clock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import { LruMap } from "../internal/lru-map.ts";
import { messageOf } from "../internal/error-text.ts";
import { type Answer, text } from "../servers/http-server.ts";

/** Time for which Kubernetes' and controller-runtime's authenticators cache tokens. */
const REMEMBER_MS = 60_000;
const REVIEW_MS = 10_000;

export interface AccessReviewOptions {
  readonly client: Pick<Client, "raw">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers a request without the right; undefined: the request has it. Never rejects. */
export type AccessReview = (path: string, authorization: string | undefined) => Promise<Answer | undefined>;

type Verdict = "allowed" | "unknown" | "forbidden";

export function accessReview({ client, clock, log }: AccessReviewOptions): AccessReview {
  const verdicts = new LruMap<string, { readonly verdict: Promise<Verdict>; readonly atMs: number }>();
  const verdictOf = (path: string, token: string): Promise<Verdict> => {
    // Tokens do not stay in memory longer than their request.
    const id = createHash("sha256").update(`${path} ${token}`).digest("base64");
    const known = verdicts.get(id);
    if (known !== undefined && clock.now() - known.atMs < REMEMBER_MS) return known.verdict;
    const verdict = review(client, path, token);
    verdicts.set(id, { verdict, atMs: clock.now() });
    verdict.catch(() => verdicts.delete(id));
    return verdict;
  };
  return async (path, authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return text(401, "a bearer token is needed");
    try {
      const verdict = await verdictOf(path, token);
      if (verdict === "allowed") return undefined;
      return verdict === "unknown" ? text(401, "the token is not known") : text(403, `get of ${path} is not allowed`);
    } catch (error) {
      log.warn({}, `cannot find out who may read ${path}: ${messageOf(error)}`);
      return text(503, "cannot ask the API server who may read this");
    }
  };
}

async function review(client: Pick<Client, "raw">, path: string, token: string): Promise<Verdict> {
  const { authenticated, user = {} } = await asked(client, "authentication.k8s.io", "TokenReview", { token });
  if (authenticated !== true) return "unknown";
  const { username, groups, uid, extra } = user;
  const spec = { user: username, groups, uid, extra, nonResourceAttributes: { path, verb: "get" } };
  const { allowed } = await asked(client, "authorization.k8s.io", "SubjectAccessReview", spec);
  return allowed === true ? "allowed" : "forbidden";
}

/** The parts of the status of both reviews that are read. */
interface ReviewStatus {
  readonly authenticated?: unknown;
  readonly allowed?: unknown;
  readonly user?: { readonly username?: string; readonly groups?: readonly string[]; readonly uid?: string; readonly extra?: object };
}

async function asked(client: Pick<Client, "raw">, group: string, kind: string, spec: object): Promise<ReviewStatus> {
  const resource = `${kind.toLowerCase()}s`;
  const answer = await client.raw(
    {
      method: "POST",
      path: `/apis/${group}/v1/${resource}`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ apiVersion: `${group}/v1`, kind, spec }),
      signal: AbortSignal.timeout(REVIEW_MS),
    },
    { verb: "create", target: kind },
  );
  if (answer.status === 403)
    throw new Error(`the API server refuses a ${kind} (403): allow create of ${resource}.${group} to the operator`);
  if (answer.status > 299 || answer.body === undefined) throw new Error(`the API server answers a ${kind} with ${answer.status}`);
  // A successful answer is the review, by the contract of the API.
  return (JSON.parse(answer.body) as { readonly status?: ReviewStatus }).status ?? {};
}
