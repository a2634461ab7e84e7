/** The package of a module: what its nearest package.json with a name and a version states. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package, as a list of contents names it. */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, or the text that the package has for it. */
  readonly license: string | undefined;
  readonly dir: string;
}

/** Finds packages, each folder once. */
export class Packages {
  readonly #known = new Map<string, PackageFacts | undefined>();

  /** The package of a file or folder. */
  of(path: string): PackageFacts | undefined {
    const dir = dirname(path);
    if (this.#known.has(dir)) return this.#known.get(dir);
    const found = factsIn(dir) ?? (dirname(dir) === dir ? undefined : this.of(dir));
    this.#known.set(dir, found);
    return found;
  }
}

/** Folders inside a package may have a package.json that only sets the type of its modules. */
function factsIn(dir: string): PackageFacts | undefined {
  const file = join(dir, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const { name, version, license, licenses } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    if (typeof name !== "string" || typeof version !== "string") return undefined;
    return { name, version, license: licenseOf(license ?? licenses), dir };
  } catch {
    return undefined;
  }
}

/** Old packages have an object, or a list of them. */
function licenseOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    const all = value.map(licenseOf).filter((each) => each !== undefined);
    return all.length === 0 ? undefined : all.length === 1 ? all[0] : `(${all.join(" OR ")})`;
  }
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" ? value.type : undefined;
}
