/**
 * Who we are to a server, and whom we trust: headers and TLS material, which may change while a program runs.
 */
import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@treadle/apimachinery";
import { ConfigError } from "./config-error.ts";

export interface Credentials {
  /** Sent with every request, over https only; mostly `authorization`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Certificates of the authorities to trust, PEM. @defaultValue those of Node */
  readonly ca?: string;
  /** Client certificate, PEM. */
  readonly cert?: string;
  /** Its key, PEM. */
  readonly key?: string;
  /** Where each is from, for errors: a file, or a field in it. */
  readonly origins?: { readonly token?: string; readonly ca?: string; readonly cert?: string };
}

/**
 * Gives the credentials. It is called before every request, so it must remember what it knows. `renew`: the server refused the
 * last credentials (401), or no trusted connection came about with them; give new ones, or the same ones where there are no others.
 */
export type CredentialSource = (options: { readonly renew: boolean }) => Credentials | Promise<Credentials>;

/** Files that hold credentials; each is read again from time to time because kubelet and cert-manager rotate them. */
export interface CredentialFiles {
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** How long read credentials are used before they are read again (client-go `NewCachedFileTokenSource`). */
export const REREAD_MS = 60_000;

/**
 * Credentials from files, read at most once a minute. While a file cannot be read the last content is used.
 * @throws ConfigError from the first call when a file is missing or the token is empty.
 */
export function fileCredentials(files: CredentialFiles, clock: Clock = systemClock): CredentialSource {
  return cached(() => readCredentials(files), clock);
}

/** Remembers what `load` gave for a minute; callers at the same time share one load; a failed reload keeps the last. */
export function cached(load: (options: { readonly renew: boolean }) => Promise<Credentials>, clock: Clock): CredentialSource {
  let last: { readonly value: Credentials; readonly at: number } | undefined;
  let loading: Promise<Credentials> | undefined;
  return async ({ renew }) => {
    if (last !== undefined && !renew && clock.now() - last.at < REREAD_MS) return last.value;
    loading ??= load({ renew })
      .catch((error: unknown) => {
        // What the server refused is no better than the failure.
        if (last === undefined || renew) throw error;
        return last.value;
      })
      .then((value) => {
        last = { value, at: clock.now() };
        return value;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
}

async function readCredentials(files: CredentialFiles): Promise<Credentials> {
  // One after another, so that of several missing files always the same one is named.
  const token = await read("token", files.tokenFile);
  const ca = await read("certificate authority", files.caFile);
  const cert = await read("client certificate", files.certFile);
  const key = await read("client key", files.keyFile);
  return {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token.trim()}` } }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    origins: originsOf(files),
  };
}

function originsOf({ tokenFile, caFile, certFile }: CredentialFiles): NonNullable<Credentials["origins"]> {
  return {
    ...(tokenFile === undefined ? {} : { token: tokenFile }),
    ...(caFile === undefined ? {} : { ca: caFile }),
    ...(certFile === undefined ? {} : { cert: certFile }),
  };
}

async function read(what: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError({
      source: file,
      problem: `the ${what} cannot be read (${codeOf(cause)})`,
      fix: "check that the file exists and is readable",
      cause,
    });
  }
  if (content.trim() === "") throw new ConfigError({ source: file, problem: `the ${what} is empty`, fix: "fill or remove it" });
  return content;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
