/**
 * Checks of names by the rules of Kubernetes. A check returns the problems in the words of the API server, and an empty
 * list for a valid name. So an error reads the same whether the client or the server found it.
 */
import { createHash } from "node:crypto";

/**
 * The maximum length of a DNS label, of a label value, and of the name part of a label key or finalizer
 * (k8s.io/apimachinery validation).
 */
export const MAX_LABEL_LENGTH = 63;

/** The maximum length of a DNS subdomain, and so of most object names (k8s.io/apimachinery validation). */
export const MAX_SUBDOMAIN_LENGTH = 253;

/** Returns the reasons why `name` is not a DNS-1123 label, such as the name of a namespace. */
export function dns1123LabelProblems(name: string): readonly string[] {
  return check(name, MAX_LABEL_LENGTH, DNS_LABEL, DNS_LABEL_TEXT);
}

/** Returns the reasons why `name` is not a DNS-1123 subdomain, such as an API group or the name of most objects. */
export function dns1123SubdomainProblems(name: string): readonly string[] {
  return check(name, MAX_SUBDOMAIN_LENGTH, DNS_SUBDOMAIN, DNS_SUBDOMAIN_TEXT);
}

/** Returns the reasons why `name` is not a DNS-1035 label: a DNS label that begins with a letter, such as the plural of a kind. */
export function dns1035LabelProblems(name: string): readonly string[] {
  return check(name, MAX_LABEL_LENGTH, DNS_1035, DNS_1035_TEXT);
}

/** Returns the reasons why `key` is not a qualified name: the key of a label or annotation, or a finalizer. */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2)
    return [`a valid label key ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0] ?? "", parts[1] ?? ""] : [undefined, key];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) problems.push(...dns1123SubdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > MAX_LABEL_LENGTH) problems.push(`name part must be no more than ${MAX_LABEL_LENGTH} bytes`);
  if (!QUALIFIED_NAME.test(name)) problems.push(`name part ${QUALIFIED_TEXT}`);
  return problems;
}

/** Returns the reasons why `value` is not a label value. The empty string is a label value. */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > MAX_LABEL_LENGTH) problems.push(`must be no more than ${MAX_LABEL_LENGTH} bytes`);
  if (value !== "" && !QUALIFIED_NAME.test(value)) problems.push(LABEL_VALUE_TEXT);
  return problems;
}

/** Tells whether `name` is a DNS-1123 label. */
export function isDns1123Label(name: string): boolean {
  return dns1123LabelProblems(name).length === 0;
}

/** Tells whether `name` is a DNS-1123 subdomain. */
export function isDns1123Subdomain(name: string): boolean {
  return dns1123SubdomainProblems(name).length === 0;
}

/**
 * Shortens `name` to `max` characters: its beginning, followed by a hash of the whole name. A shorter name is returned as it is.
 *
 * Guarantees: the result depends on `name` and `max` only. Names that differ only beyond the limit give different results.
 * A valid DNS name stays valid.
 *
 * @throws RangeError when `max` leaves no room for the hash and one character before it
 */
export function shortenName(name: string, max: number): string {
  if (name.length <= max) return name;
  if (max < HASH_LENGTH + 2) throw new RangeError(`cannot shorten "${name}" to ${max} characters: at least ${HASH_LENGTH + 2} are needed`);
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  // A dot, dash or underscore before the dash would make the name invalid or ugly.
  const head = name.slice(0, max - HASH_LENGTH - 1).replace(/[^A-Za-z0-9]+$/, "");
  return head === "" ? hash : `${head}-${hash}`;
}

/** 40 bits: among a million names two collide with a chance below one half, and a collision matters only within one namespace. */
const HASH_LENGTH = 10;

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const DNS_LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function check(name: string, max: number, pattern: RegExp, text: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > max) problems.push(`must be no more than ${max} bytes`);
  if (!pattern.test(name)) problems.push(text);
  return problems;
}
