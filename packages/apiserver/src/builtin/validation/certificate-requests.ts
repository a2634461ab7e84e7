/** Validates CertificateSigningRequests: usages and signer. The request itself is not parsed. */
import { dns1123LabelProblems, dns1123SubdomainProblems } from "@treadle/apimachinery";
import type { FieldError } from "../../errors/field-errors.ts";
import { goQuote, type JsonObject } from "../../internal/json.ts";
import { check, needed, type Rule } from "./spot.ts";

const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** certificates `ValidateSignerName`: a domain and a name in it. */
const signerName: Rule = (spot) => {
  const [domain = "", path = "", ...more] = spot.text.split("/");
  if (!spot.text.includes("/") || more.length > 0)
    return spot.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
  const labels = domain.split(".");
  for (const label of labels)
    for (const problem of dns1123LabelProblems(label)) spot.invalid(`validating label ${goQuote(label)}: ${problem}`, domain);
  if (labels.length < 2) spot.invalid("should be a domain with at least two segments separated by dots", domain);
  for (const label of path.split("."))
    for (const problem of dns1123SubdomainProblems(label)) spot.invalid(`validating label ${goQuote(label)}: ${problem}`, path);
};

const LEGACY = "kubernetes.io/legacy-unknown";
const PEM = /-----BEGIN CERTIFICATE REQUEST-----\r?\n[\s\S]*-----END CERTIFICATE REQUEST-----/;

export function certificateRequestErrors(draft: JsonObject): FieldError[] {
  return check(draft, (object) => {
    const spec = object.at("spec");
    const [request, usages, signer, seconds] = [spec.at("request"), spec.at("usages"), spec.at("signerName"), spec.at("expirationSeconds")];
    if (!PEM.test(Buffer.from(request.text, "base64").toString("latin1")))
      request.invalid("PEM block type must be CERTIFICATE REQUEST", request.value ?? null);
    if (usages.isEmpty) usages.required();
    for (const usage of usages.items) if (!USAGES.includes(usage.text)) usage.notSupported(USAGES);
    usages.items.forEach((usage, i) => {
      if (usages.items.slice(0, i).some(({ text }) => text === usage.text)) usage.duplicate();
    });
    if (signer.text === LEGACY) signer.invalid("the legacy signerName is not allowed via this API version");
    else needed(signerName)(signer);
    if (seconds.isSet && seconds.number < 600) seconds.invalid("may not specify a duration less than 600 seconds (10 minutes)");
  });
}
