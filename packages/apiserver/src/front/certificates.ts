/**
 * Certificates for the HTTPS front: an authority for one server, the certificate of the server, and one for a client. The
 * library is loaded at the first use, because only this file needs it.
 */
import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  /** The certificate. */
  readonly certPem: string;
  /** The private key, as PKCS #8. */
  readonly keyPem: string;
}

/** An authority and the certificates that it signed. */
export interface Certificates {
  /** Certificate of the authority that signed the other certificates, in PEM. Clients trust it. */
  readonly caPem: string;
  /** The certificate of the server. */
  readonly server: KeyPair;
  /** The client certificate of an administrator. */
  readonly client: KeyPair;
  /** Makes a client certificate. Its CN is the user, its Os are the groups. */
  issueClient(user: string, groups: readonly string[]): Promise<KeyPair>;
}

/** Makes an authority, a server certificate for `hosts` and a client certificate of an administrator. They are valid for ten years. */
export async function makeCertificates(hosts: readonly string[]): Promise<Certificates> {
  // The dependency injection of the library needs this import first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const { subtle } = globalThis.crypto;
  const newKeys = async (): Promise<webcrypto.CryptoKeyPair> => subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 3650 * DAY_MS) };
  const authority = await newKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: "01",
    name: "CN=treadle-apiserver-ca",
    signingAlgorithm: ALGORITHM,
    keys: authority,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  const issue = async (serialNumber: string, subject: JsonName, usage: string, alternatives: readonly Alternative[]): Promise<KeyPair> => {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity,
      serialNumber,
      subject,
      issuer: ca.subject,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
        ...(alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...alternatives])]),
      ],
    });
    const der = await subtle.exportKey("pkcs8", keys.privateKey);
    return { certPem: certificate.toString("pem"), keyPem: x509.PemConverter.encode(der, "PRIVATE KEY") };
  };
  let serials = 2;
  const issueClient = (user: string, groups: readonly string[]): Promise<KeyPair> => {
    const subject = [{ CN: [user] }, ...groups.map((group) => ({ O: [group] }))];
    return issue((++serials).toString(16).padStart(2, "0"), subject, CLIENT_AUTH, []);
  };
  return {
    caPem: ca.toString("pem"),
    server: await issue("02", [{ CN: ["treadle-apiserver"] }], SERVER_AUTH, hosts.map(alternativeOf)),
    client: await issueClient("treadle-admin", ["system:masters"]),
    issueClient,
  };
}

/** A distinguished name as its parts, so that no text needs quoting. */
type JsonName = { readonly [part: string]: string[] }[];

type Alternative = { readonly type: "ip" | "dns"; readonly value: string };

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** RFC 5280 4.2.1.12. */
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

function alternativeOf(host: string): Alternative {
  return isIP(host) === 0 ? { type: "dns", value: host } : { type: "ip", value: host };
}
