import { expect, test } from "vitest";
import { makeCertificates } from "../front/certificates.ts";
import { caBundleProblem } from "./ca-bundle.ts";

const { caPem, server } = await makeCertificates(["localhost"]);
const ca = `${caPem.trim()}\n`;
const NO_BLOCK = "unable to load root certificates: unable to parse bytes as PEM block";
const NO_CERTIFICATE = "unable to load root certificates: no valid certificate authority data seen";
const MALFORMED = "unable to load root certificates: failed to parse certificate: x509: malformed certificate";
const broken = "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n";

test.for([
  { name: "nothing", bundle: "", want: undefined },
  { name: "a certificate", bundle: ca, want: undefined },
  { name: "a certificate with Windows line ends", bundle: ca.replaceAll("\n", "\r\n"), want: undefined },
  { name: "a certificate among words", bundle: `words\n${ca}words`, want: undefined },
  { name: "a certificate after a broken one", bundle: broken + ca, want: undefined },
  { name: "a word", bundle: "x", want: NO_BLOCK },
  { name: "spaces", bundle: " \n", want: NO_BLOCK },
  { name: "a certificate without an end", bundle: ca.slice(0, -20), want: NO_BLOCK },
  { name: "a private key", bundle: `${server.keyPem.trim()}\n`, want: NO_CERTIFICATE },
  { name: "a private key before words", bundle: `${server.keyPem.trim()}\nwords`, want: NO_BLOCK },
  { name: "a certificate with headers", bundle: ca.replace("-----\n", "-----\na: b\n\n"), want: NO_CERTIFICATE },
  { name: "a broken certificate", bundle: broken, want: MALFORMED },
])("a CA bundle with $name has the problem that Go's TLS client reports", ({ bundle, want }) => {
  expect(caBundleProblem(Buffer.from(bundle).toString("base64"))).toBe(want);
});
