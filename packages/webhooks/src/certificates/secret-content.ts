/**
 * The contents of the Secret. Its type is `Opaque`, because a manifest without data must be valid; `kubernetes.io/tls` works, too. Its keys:
 *
 * | key | content |
 * |---|---|
 * | `ca.crt`, `ca.key` | the authority that signs, and its private key |
 * | `tls.crt`, `tls.key` | the serving certificate and its private key |
 * | `ca-previous.crt` | authorities that remain in the bundles |
 * | `ca-previous.key` | the private key of the first of them, until the new authority has issued a certificate |
 * | `ca-previous.until` | the time at which they leave the bundles (RFC 3339) |
 */
import type { KeyObject } from "node:crypto";
import { isIP } from "node:net";
import type { CertifiedKey } from "@treadle/controller";
import type { Secret } from "@treadle/apimachinery/kinds";
import { type Certificate, certificatesIn, fits, isIssuedBy, isValidAt, privateKeyIn, withoutCopies } from "./pem.ts";
import type { AuthorityView, PlanState } from "./plan.ts";

/** An authority, with its private key where the Secret has it. */
export interface Authority {
  readonly certificate: Certificate;
  readonly key: KeyObject | undefined;
}

/** A serving certificate whose key fits, and the authority that signed it. */
export interface Serving {
  readonly certificate: Certificate;
  readonly issuer: string;
  readonly pair: CertifiedKey;
}

/** What a Secret contains, as far as it can be used. */
export interface SecretContent {
  readonly authority: Authority | undefined;
  readonly previous: readonly Authority[];
  readonly previousUntilMs: number | undefined;
  readonly serving: Serving | undefined;
  /** `tls.crt` and `tls.key` as they are. */
  readonly tls: CertifiedKey;
  /** What is wrong, by key and without values. */
  readonly faults: readonly string[];
}

/** Reads the data of a Secret. Never throws. */
export function contentOf(secret: Pick<Secret, "data"> | undefined): SecretContent {
  const faults: string[] = [];
  const text = (key: string): string => {
    const value: unknown = secret?.data?.[key];
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  };
  const pair = { cert: text("ca.crt"), key: text("ca.key") };
  const authority = authorityIn(pair, faults);
  const previousKey = privateKeyIn(text("ca-previous.key"));
  const previous = certificatesIn(text("ca-previous.crt"))
    .filter(({ x509, id }) => x509.ca && id !== authority?.certificate.id)
    .map((certificate) => ({
      certificate,
      key: previousKey !== undefined && fits(certificate, previousKey) ? previousKey : undefined,
    }));
  if (text("ca-previous.crt").trim() !== "" && previous.length === 0) faults.push("ca-previous.crt contains no authority");
  const untilMs = Date.parse(text("ca-previous.until"));
  const tls = { cert: text("tls.crt"), key: text("tls.key") };
  const issuers = [...(authority === undefined ? [] : [authority]), ...previous].map(({ certificate }) => certificate);
  return {
    authority,
    previous,
    previousUntilMs: Number.isNaN(untilMs) ? undefined : untilMs,
    serving: servingIn(tls, issuers, faults),
    tls,
    faults,
  };
}

function authorityIn({ cert, key: keyText }: CertifiedKey, faults: string[]): Authority | undefined {
  if (cert.trim() === "" && keyText.trim() === "") return undefined;
  const [certificate] = certificatesIn(cert);
  if (certificate === undefined || !certificate.x509.ca) {
    faults.push(cert.trim() === "" ? "ca.crt is missing" : "ca.crt contains no authority");
    return undefined;
  }
  const key = privateKeyIn(keyText);
  if (key !== undefined && fits(certificate, key)) return { certificate, key };
  if (keyText.trim() === "") faults.push("ca.key is missing");
  else faults.push(key === undefined ? "ca.key contains no ECDSA key on P-256" : "ca.key does not fit ca.crt");
  return { certificate, key: undefined };
}

/** Returns the serving certificate of a pair where the key fits and one of `issuers` signed it. */
export function servingIn(pair: CertifiedKey, issuers: readonly Certificate[], faults: string[] = []): Serving | undefined {
  if (pair.cert.trim() === "" && pair.key.trim() === "") return undefined;
  const [certificate] = certificatesIn(pair.cert);
  const key = privateKeyIn(pair.key);
  const issuer = certificate && issuers.find((authority) => isIssuedBy(certificate, authority));
  if (certificate === undefined) faults.push(pair.cert.trim() === "" ? "tls.crt is missing" : "tls.crt contains no certificate");
  else if (key === undefined) faults.push(pair.key.trim() === "" ? "tls.key is missing" : "tls.key contains no ECDSA key on P-256");
  else if (!fits(certificate, key)) faults.push("tls.key does not fit tls.crt");
  else if (issuer === undefined) faults.push("no authority of the Secret signed tls.crt");
  else return { certificate, issuer: issuer.id, pair };
  return undefined;
}

/** Returns the certificates that each configuration must trust, the newest authority first. */
export function bundleOf({ authority, previous }: SecretContent): readonly Certificate[] {
  return withoutCopies([...(authority === undefined ? [] : [authority]), ...previous].map(({ certificate }) => certificate));
}

/** Returns the part of a decision's input that the Secret decides. */
export function viewOf(
  content: SecretContent,
  names: readonly string[],
): Pick<PlanState, "authority" | "previous" | "previousUntilMs" | "serving" | "faults"> {
  const { authority, previous, previousUntilMs, serving, faults } = content;
  const { startsMs = 0, endsMs = 0 } = serving?.certificate ?? {};
  return {
    authority: authority === undefined ? undefined : authorityView(authority),
    previous: previous.map(authorityView),
    previousUntilMs,
    serving:
      serving === undefined
        ? undefined
        : { issuer: serving.issuer, startsMs, endsMs, hasNames: names.every((name) => isFor(serving.certificate, name)) },
    faults,
  };
}

function authorityView({ certificate: { id, startsMs, endsMs }, key }: Authority): AuthorityView {
  return { id, startsMs, endsMs, canSign: key !== undefined };
}

/** Whether a client that calls `name` accepts the certificate. */
export function isFor({ x509 }: Certificate, name: string): boolean {
  return (isIP(name) === 0 ? x509.checkHost(name, { subject: "never" }) : x509.checkIP(name)) !== undefined;
}

/** Returns the names and addresses that a certificate is made for. */
export function namesOf({ x509 }: Certificate): readonly string[] {
  return (x509.subjectAltName ?? "").split(", ").flatMap((entry) => /^(?:DNS|IP Address):([^"\s]+)$/.exec(entry)?.[1] ?? []);
}

/** Returns the authorities that may have signed what other replicas serve, those of `known` included. They are valid at `nowMs`. */
export function authoritiesToKeep(known: readonly Certificate[], nowMs: number): readonly Certificate[] {
  return withoutCopies(known.filter((each) => each.x509.ca && isValidAt(each, nowMs))).slice(0, MAX_PREVIOUS);
}

/** A bundle is part of each configuration, so it must not grow with each repair. */
const MAX_PREVIOUS = 5;

/** Returns the data of the Secret for a content. */
export function dataOf(content: {
  readonly ca: CertifiedKey;
  readonly tls: CertifiedKey | undefined;
  readonly previous: readonly Certificate[];
  readonly previousKey?: string | undefined;
  readonly previousUntilMs?: number | undefined;
}): Readonly<Record<string, string>> {
  const { ca, tls, previous, previousKey, previousUntilMs } = content;
  // Empty and not absent: a Secret of type kubernetes.io/tls must have both keys.
  const texts: Record<string, string> = { "ca.crt": ca.cert, "ca.key": ca.key, "tls.crt": tls?.cert ?? "", "tls.key": tls?.key ?? "" };
  if (previous.length > 0) {
    texts["ca-previous.crt"] = previous.map(({ pem }) => pem).join("");
    if (previousKey !== undefined) texts["ca-previous.key"] = previousKey;
    if (previousUntilMs !== undefined) texts["ca-previous.until"] = new Date(previousUntilMs).toISOString();
  }
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

/** Returns a private key in PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string; // PEM is always text
}
