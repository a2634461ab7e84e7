/** Certificates and private keys in PEM, as Node reads them. Nothing here throws for bad input. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** A certificate with what decisions need. */
export interface Certificate {
  /** Fingerprint (SHA-256), by which two copies are the same certificate. */
  readonly id: string;
  /** The certificate in PEM, one block that ends with a line break. */
  readonly pem: string;
  readonly x509: X509Certificate;
  /** Beginning of the validity, in milliseconds since 1970. */
  readonly startsMs: number;
  /** End of the validity, in milliseconds since 1970. */
  readonly endsMs: number;
}

/** Returns the certificates in `text`. Blocks that cannot be read, and text around the blocks, are left out. */
export function certificatesIn(text: string): readonly Certificate[] {
  return (text.match(BLOCK) ?? []).flatMap((block) => {
    try {
      const x509 = new X509Certificate(block);
      const [startsMs, endsMs] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)];
      if (Number.isNaN(startsMs) || Number.isNaN(endsMs)) return [];
      return [{ id: x509.fingerprint256, pem: `${x509.toString().trim()}\n`, x509, startsMs, endsMs }];
    } catch {
      return [];
    }
  });
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns the private key in `text`, or `undefined` where it is not an ECDSA key on P-256, the only kind that we make. */
export function privateKeyIn(text: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined; // The error of OpenSSL may quote the input.
  }
}

/** Whether `key` is the private key of `certificate`. */
export function fits(certificate: Certificate, key: KeyObject): boolean {
  try {
    return certificate.x509.checkPrivateKey(key);
  } catch {
    return false;
  }
}

/** Whether `authority` is an authority and signed `certificate`. The validity of both is not looked at. */
export function isIssuedBy(certificate: Certificate, authority: Certificate): boolean {
  try {
    return authority.x509.ca && certificate.x509.checkIssued(authority.x509) && certificate.x509.verify(authority.x509.publicKey);
  } catch {
    return false;
  }
}

/** Whether the certificate is valid at `nowMs`. */
export function isValidAt({ startsMs, endsMs }: Pick<Certificate, "startsMs" | "endsMs">, nowMs: number): boolean {
  return startsMs <= nowMs && nowMs < endsMs;
}

/** Returns the certificates without copies, in their order. */
export function withoutCopies(certificates: readonly Certificate[]): readonly Certificate[] {
  return [...new Map(certificates.map((each) => [each.id, each])).values()];
}
