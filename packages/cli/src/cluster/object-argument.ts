/** Reads `KIND/NAME` and `KIND NAME` from the command line. */
import { CliError } from "../cli-error.ts";

/** An object as a user named it. The kind may be a plural, a short name, or have a group. */
export interface ObjectArgument {
  readonly kind: string;
  readonly name: string;
}

/** @throws CliError for another form, and for names that no object can have */
export function objectArgument(words: readonly string[]): ObjectArgument {
  const [first = "", second, ...more] = words;
  const slash = first.indexOf("/");
  if (more.length > 0 || (slash !== -1 && second !== undefined))
    throw new CliError(`one object at a time: ${quoted(words.join(" "))} names more; write KIND/NAME, such as deployment/web`);
  const kind = slash === -1 ? first : first.slice(0, slash);
  const name = slash === -1 ? (second ?? "") : first.slice(slash + 1);
  if (kind === "" || name === "")
    throw new CliError(`${quoted(words.join(" "))} names no object; write KIND/NAME or KIND NAME, such as deployment/web`);
  if (!/^[A-Za-z][A-Za-z0-9.-]*$/.test(kind))
    throw new CliError(
      `${quoted(kind)} cannot be a kind; write its name, plural or short name, such as deployment, or with its group: widgets.example.dev`,
    );
  // The rule of the API server for a segment of a path. Most kinds allow less.
  if (/[/%]/.test(name) || name === "." || name === ".." || /\s/.test(name) || name.length > 253)
    throw new CliError(
      `${quoted(name)} cannot be the name of an object: a name has no spaces, no "/" and no "%". The namespace is a flag: -n NAMESPACE`,
    );
  return { kind, name };
}

/** A namespace that the server would refuse with a text about paths. @throws CliError */
export function checkNamespace(namespace: string | undefined): void {
  if (namespace === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return;
  throw new CliError(`${quoted(namespace)} cannot be a namespace: use at most 63 small letters, digits and "-", such as -n shop-a`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
