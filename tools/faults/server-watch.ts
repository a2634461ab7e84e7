/** A plain list and watch by node's own HTTP, for the auditor: independent of everything that it judges. */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { AuditorOptions } from "./messages.ts";

export interface PlainObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec?: { readonly value?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: { readonly value?: string; readonly text?: string; readonly secret?: string };
}

export interface Told {
  readonly onObject: (object: PlainObject, isDeleted: boolean) => void;
  /** A list: everything that is there now, as of `version`; `since`: until when all was known. */
  readonly onList: (objects: readonly PlainObject[], version: string, since: string | undefined) => void;
}

const AGAIN_MS = 100;

/** Follows the objects under `path` for ever, over all that breaks. Resolves after the first list. */
export async function follow(options: AuditorOptions, path: string, told: Told): Promise<void> {
  const first = Promise.withResolvers<void>();
  void (async () => {
    let version: string | undefined;
    let known: string | undefined;
    for (;;) {
      try {
        if (version === undefined) {
          const list = await listAll(options, path);
          told.onList(list.items, list.metadata.resourceVersion, known);
          version = known = list.metadata.resourceVersion;
          first.resolve();
        }
        const response = await get(options, `${path}?watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=${version}`);
        for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
          const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: PlainObject };
          if (type === "ERROR") {
            version = undefined;
            break;
          }
          version = known = object.metadata.resourceVersion;
          if (type !== "BOOKMARK") told.onObject(object, type === "DELETED");
        }
        response.destroy();
      } catch (error) {
        if (error instanceof Refused && error.status === 410) version = undefined;
      }
      await delay(AGAIN_MS);
    }
  })();
  await first.promise;
}

export async function listAll(
  options: AuditorOptions,
  path: string,
): Promise<{ readonly metadata: { readonly resourceVersion: string }; readonly items: readonly PlainObject[] }> {
  let text = "";
  for await (const chunk of (await get(options, path)).setEncoding("utf8")) text += String(chunk);
  return JSON.parse(text);
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, path: string) {
    super(`${path}: ${status}`);
    this.status = status;
  }
}

async function get({ server, headers, ca, cert, key }: AuditorOptions, path: string): Promise<IncomingMessage> {
  const url = new URL(path, server);
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    request(url, { headers: { accept: "application/json", ...headers }, agent: false, ca, cert, key, method: "GET" }, (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      reject(new Refused(response.statusCode ?? 0, path));
    })
      .on("error", reject)
      .end();
  });
}
