/**
 * Makes authorities and serving certificates: ECDSA on P-256 with random serial numbers. The library is loaded at the first
 * use, because a replica that finds valid certificates needs none of it.
 */
import { type KeyObject, randomBytes, type webcrypto } from "node:crypto";
import { isIP } from "node:net";
import type { CertifiedKey } from "@treadle/controller";
import type { Certificate } from "./pem.ts";
import { BACKDATE_MS, CA_MS, SERVING_MS } from "./plan.ts";

/** Makes an authority, valid for five years. */
export async function makeAuthority(nowMs: number): Promise<CertifiedKey> {
  const x509 = await load();
  const keys = await newKeys();
  const serialNumber = newSerial();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + CA_MS),
    // The names of two authorities differ, so that a client with both in its bundle takes the right one at once.
    name: [{ CN: [`treadle-webhooks-ca-${serialNumber.slice(0, 8)}`] }],
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** Makes a serving certificate for `names` (host names and addresses), valid for 90 days and not longer than its authority. */
export async function issueServing(
  authority: { readonly certificate: Certificate; readonly key: KeyObject },
  names: readonly string[],
  nowMs: number,
): Promise<CertifiedKey> {
  const x509 = await load();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate.pem);
  const { subtle } = globalThis.crypto;
  const der = authority.key.export({ type: "pkcs8", format: "der" });
  const signingKey = await subtle.importKey("pkcs8", new Uint8Array(der), ALGORITHM, false, ["sign"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    notBefore: new Date(Math.max(nowMs - BACKDATE_MS, authority.certificate.startsMs)),
    notAfter: new Date(Math.min(nowMs + SERVING_MS, authority.certificate.endsMs)),
    subject: [{ CN: ["treadle-webhooks"] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
      await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export()),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

async function load(): Promise<typeof import("@peculiar/x509")> {
  // The dependency injection of the library needs this import first.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** RFC 5280 4.2.1.12. */
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return globalThis.crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

/** 126 random bits below a bit that is set: a positive number of constant length (RFC 5280 4.1.2.2). */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString("hex");
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await globalThis.crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}
