/** Rules for values that many kinds have: names, labels, ports, addresses, paths. */
import { isIP } from "node:net";
import { dns1123SubdomainProblems, labelKeyProblems, labelValueProblems } from "@treadle/apimachinery";
import { nameProblems } from "../../objects/object-meta.ts";
import { all, between, mustBeOneOf, passes, type Rule } from "./spot.ts";

export const dnsLabel: Rule = passes((text) => nameProblems("label", text, false));
export const subdomain: Rule = passes((text) => nameProblems("subdomain", text, false));
export const qualifiedName: Rule = passes(labelKeyProblems);
export const labelValue: Rule = passes(labelValueProblems);
export const pathSegment: Rule = passes((text) => nameProblems("segment", text, false));

/** Checks labels. Errors of a key or a value are reported for all labels together. */
export const labels: Rule = (spot) => {
  for (const [key, member] of spot.members) {
    for (const problem of labelKeyProblems(key)) spot.invalid(problem, key);
    for (const problem of labelValueProblems(member.text)) spot.invalid(problem, member.text);
  }
};

const MAX_ANNOTATION_BYTES = 256 * 1024;

export const annotations: Rule = (spot) => {
  let bytes = 0;
  for (const [key, member] of spot.members) {
    for (const problem of labelKeyProblems(key.toLowerCase())) spot.invalid(problem, key);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(member.text);
  }
  if (bytes > MAX_ANNOTATION_BYTES) spot.tooLong(MAX_ANNOTATION_BYTES);
};

export const portNumber: Rule = between(1, 65_535);
export const protocol: Rule = mustBeOneOf("SCTP", "TCP", "UDP");

/** Checks the name of a port (IANA service name). */
export const portName: Rule = passes((text) => [
  ...(text.length > 15 ? ["must be no more than 15 characters"] : []),
  ...(/^[-a-z0-9]*$/.test(text) && text !== "" ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/.test(text) ? [] : ["must contain at least one letter (a-z)"]),
  ...(text.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(/^-|-$/.test(text) ? ["must not begin or end with a hyphen"] : []),
]);

/** Checks a port by number or by name. */
export const portReference: Rule = (spot) => (typeof spot.value === "string" ? portName(spot) : portNumber(spot));

export const ipAddress: Rule = (spot) => {
  if (isIP(spot.text) === 0) spot.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
};

/** core `ValidateNonSpecialIP`: an address that others can reach. */
export const publicIp: Rule = (spot) => {
  const { text } = spot;
  if (text === "0.0.0.0" || text === "::") spot.invalid("may not be unspecified (0.0.0.0 or ::)");
  if (text.startsWith("127.") || text === "::1") spot.invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (text.startsWith("169.254.") || /^fe[89ab]/i.test(text))
    spot.invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (text.startsWith("224.0.0.") || /^ff02/i.test(text))
    spot.invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
};

export const cidr: Rule = (spot) => {
  const [ip = "", bits = "", ...more] = spot.text.split("/");
  const most = isIP(ip) === 6 ? 128 : 32;
  if (isIP(ip) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most || more.length > 0)
    spot.invalid("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
};

/** Checks a path with a domain, such as `acme.io/foo`. */
export const domainPath: Rule = (spot) => {
  const [domain = "", ...path] = spot.text.split("/");
  if (spot.text === "") spot.required();
  else if (path.length === 0 || domain === "" || path.join("/") === "")
    spot.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
  else for (const problem of dns1123SubdomainProblems(domain)) spot.invalid(problem, domain);
};

export const userId: Rule = between(0, 2 ** 31 - 1);

/** Checks a path inside a folder. */
export const descendingPath: Rule = (spot) => {
  if (spot.text.startsWith("/")) spot.invalid("must be a relative path");
  noBacksteps(spot);
};

export const noBacksteps: Rule = (spot) => {
  if (spot.text.split("/").includes("..")) spot.invalid("must not contain '..'");
};

/** Checks a path inside a folder, in which names that begin with two dots are reserved. */
export const unreservedPath: Rule = all(descendingPath, (spot) => {
  if (spot.text.startsWith("..") && !spot.text.startsWith("../")) spot.invalid("must not start with '..'");
});

export const fileMode: Rule = (spot) => {
  if (spot.isSet && (spot.number < 0 || spot.number > 0o777)) spot.invalid("must be a number between 0 and 0777 (octal), both inclusive");
};

const CONFIG_KEY = "[-._a-zA-Z0-9]+";

/** Returns the problems of a key of a ConfigMap or a Secret. */
export function configKeyProblems(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push("must be no more than 253 characters");
  if (!new RegExp(`^${CONFIG_KEY}$`).test(key)) {
    const what = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(`${what} (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${CONFIG_KEY}')`);
  }
  if (key === "." || key === "..") problems.push(`must not be '${key}'`);
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}
