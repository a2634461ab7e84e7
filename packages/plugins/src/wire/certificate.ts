/** Certificates for AutoMTLS: each side makes one, and trusts that of the other alone. */

/** A self-signed certificate and its key. */
export interface CertifiedKey {
  /** The certificate, in PEM. */
  readonly cert: string;
  /** The private key, as PKCS #8 in PEM. */
  readonly key: string;
}

/** Mutual TLS, in PEM. */
export interface Tls extends CertifiedKey {
  /** The authority that signed the certificate of the other side, or this certificate itself. */
  readonly ca: string;
}

/**
 * Makes a key and a self-signed certificate for `localhost`, for a client and for a server. It is valid from ten years ago until in ten
 * years, so that a wrong clock does no harm. It lives as long as one process.
 */
export async function newCertificate(): Promise<CertifiedKey> {
  // The dependency injection of the library needs this import first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const { subtle } = globalThis.crypto;
  const keys = await subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(Date.now() - TEN_YEARS_MS),
    notAfter: new Date(Date.now() + TEN_YEARS_MS),
    name: "CN=localhost",
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      // It is its own authority: go-plugin and BoringSSL look for one.
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH, CLIENT_AUTH]),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }]),
    ],
  });
  const key = await subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(key, "PRIVATE KEY") };
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const TEN_YEARS_MS = 3650 * 24 * 60 * 60 * 1000;

/** RFC 5280 4.2.1.12. */
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
