/**
 * Credentials: the headers and the TLS material of requests. They may change while a program runs.
 */
import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@treadle/apimachinery";
import { ConfigError } from "./config-error.ts";

/** Identify a client to a server, and name the authorities that the client trusts. */
export interface Credentials {
  /** Headers of every request, sent over https only; mostly `authorization`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Certificates of trusted authorities, PEM. @defaultValue those of Node */
  readonly ca?: string;
  /** Client certificate, PEM. */
  readonly cert?: string;
  /** Key of the client certificate, PEM. */
  readonly key?: string;
  /** Origin of each part, for errors: a file, or a field in it. */
  readonly origins?: { readonly token?: string; readonly ca?: string; readonly cert?: string };
}

/**
 * Returns the current credentials. It is called before every request, so it must cache them. `renew` is true when the server
 * refused the last credentials (401) or a TLS handshake failed with them. Then return new credentials, or the same if there are none.
 */
export type CredentialSource = (options: { readonly renew: boolean }) => Credentials | Promise<Credentials>;

/** Files that hold credentials. They are read again from time to time because kubelet and cert-manager rotate them. */
export interface CredentialFiles {
  /** File with a bearer token. */
  readonly tokenFile?: string;
  /** File with the certificates of trusted authorities, PEM. */
  readonly caFile?: string;
  /** File with a client certificate, PEM. */
  readonly certFile?: string;
  /** File with the key of the client certificate, PEM. */
  readonly keyFile?: string;
}

/** Age at which credentials are read again (client-go `NewCachedFileTokenSource`). */
export const REREAD_MS = 60_000;

/**
 * Returns a source of credentials from files. It reads them at most once a minute, and again when a server refuses them. While
 * a file cannot be read, the last content is used.
 * @throws ConfigError from the first call when a file is missing or empty
 */
export function fileCredentials(files: CredentialFiles, clock: Clock = systemClock): CredentialSource {
  return cached(() => readCredentials(files), clock);
}

/** Caches the result of `load` for a minute. Simultaneous callers share one load. When a later load fails, the last result stays. */
export function cached(load: (options: { readonly renew: boolean }) => Promise<Credentials>, clock: Clock): CredentialSource {
  let last: { readonly value: Credentials; readonly at: number } | undefined;
  let loading: Promise<Credentials> | undefined;
  return async ({ renew }) => {
    if (last !== undefined && !renew && clock.now() - last.at < REREAD_MS) return last.value;
    loading ??= load({ renew })
      .catch((error: unknown) => {
        // Credentials that the server refused are no better than the failure.
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
  // One after another, so that the error always names the same one of several missing files.
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
