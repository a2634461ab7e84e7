/** Checks a `caBundle` as Go's TLS client does when it loads root certificates (k8s.io/client-go/transport). */
import { X509Certificate } from "node:crypto";

const MALFORMED = "failed to parse certificate: x509: malformed certificate";

/**
 * Returns why a TLS client cannot use the bundle, or `undefined`. One certificate is enough, and other content is ignored.
 * An empty bundle stands for the certificates of the system.
 */
export function caBundleProblem(caBundle: string): string | undefined {
  const text = Buffer.from(caBundle, "base64").toString("latin1");
  if (text === "") return undefined;
  const blocks = [...blocksOf(text)];
  const certificates = blocks.filter(({ type, headers }) => type === "CERTIFICATE" && headers === "");
  if (certificates.some(({ content }) => isCertificate(content))) return undefined;
  const end = blocks.at(-1)?.end ?? 0;
  const cause =
    certificates.length > 0
      ? MALFORMED
      : end === text.length
        ? "no valid certificate authority data seen"
        : "unable to parse bytes as PEM block";
  return `unable to load root certificates: ${cause}`;
}

interface Block {
  readonly type: string;
  readonly headers: string;
  readonly content: Buffer;
  /** Index of the first character after the block. */
  readonly end: number;
}

/** A block is skipped when its content is not base64, as in Go's `encoding/pem`. */
function* blocksOf(text: string): Generator<Block> {
  const pattern = /^-----BEGIN ([^\n]*)-----[ \t\r]*\n((?:[^\n:]*:[^\n]*\n)*)([^-]*?)^-----END \1-----[ \t\r]*(?:\n|$(?![\s\S]))/gm;
  for (const match of text.matchAll(pattern)) {
    const [whole, type = "", headers = "", body = ""] = match;
    const base64 = body.replaceAll(/\s/g, "");
    if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) continue;
    yield { type, headers, content: Buffer.from(base64, "base64"), end: match.index + whole.length };
  }
}

function isCertificate(content: Buffer): boolean {
  try {
    return new X509Certificate(content).raw.length === content.length;
  } catch {
    return false;
  }
}
