/** The names of releases: `<org>/<repo>@<release>`, their checksums, and the list in TREADLE_PLUGINS. Pure. */

import { messageOf } from "../wire/texts.ts";

/** A release with the checksums of its archives. */
export interface ReleaseName {
  readonly org: string;
  readonly repo: string;
  readonly release: string;
  /** SHA-256 of the archives, as 64 hexadecimal digits, by `<os>-<arch>`. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** Letters, digits and `-`, `_`, `.`; the first is a letter or digit, so no part is a path. */
const NAME = /^(?<org>[A-Za-z0-9][\w.-]*)\/(?<repo>[A-Za-z0-9][\w.-]*)@(?<release>[A-Za-z0-9][\w.+-]*)$/;
const PLATFORM = /^[a-z0-9]+-[a-z0-9]+$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/** Reads `<org>/<repo>@<release>`. @throws TypeError for another form, and for values that are not checksums */
export function parseRelease(text: string, sha256: Readonly<Record<string, string>>): ReleaseName {
  const refuse = (why: string): never => {
    throw new TypeError(`the release ${JSON.stringify(text)} cannot be used: ${why}`);
  };
  const { org, repo, release } = NAME.exec(text)?.groups ?? {};
  if (org === undefined || repo === undefined || release === undefined)
    return refuse("write it as <org>/<repo>@<release>, such as acme/kube-postgres@v1.2.0");
  const sums = Object.entries(sha256);
  if (sums.length === 0) return refuse('it has no checksum; give the SHA-256 of its archives, such as "linux-amd64"');
  for (const [platform, sum] of sums) {
    if (!PLATFORM.test(platform)) return refuse(`${JSON.stringify(platform)} is not <os>-<arch>, such as linux-amd64`);
    if (!SHA256.test(sum)) return refuse(`the checksum of ${platform} is not a SHA-256 of 64 hexadecimal digits`);
  }
  return { org, repo, release, sha256: Object.fromEntries(sums.map(([platform, sum]) => [platform, sum.toLowerCase()])) };
}

/**
 * Reads `<org>/<repo>@<release>#linux-amd64=<sha256>;linux-arm64=<sha256>`, entries by comma. Spaces around the parts are ignored.
 * An entry that cannot be read, or that repeats a repository's name, is a problem.
 */
export function parseReleases(text: string): { readonly names: readonly ReleaseName[]; readonly problems: readonly string[] } {
  const names: ReleaseName[] = [];
  const problems: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    try {
      const name = parseEntry(entry);
      if (names.some(({ repo }) => repo === name.repo)) throw new TypeError(`the plugin ${name.repo} is in the list twice: ${entry}`);
      names.push(name);
    } catch (error) {
      problems.push(`an entry of the list of releases is left out: ${messageOf(error)}`);
    }
  }
  return { names, problems };
}

function parseEntry(entry: string): ReleaseName {
  const [name = "", sums = "", ...more] = entry.split("#");
  const pairs = sums.split(";").flatMap((pair) => (pair.trim() === "" ? [] : [pair.split("=").map((part) => part.trim())]));
  const wrong = more.length > 0 || pairs.some((pair) => pair.length !== 2);
  if (wrong || new Set(pairs.map(([platform]) => platform)).size < pairs.length)
    throw new TypeError(`${JSON.stringify(entry)} is not <org>/<repo>@<release>#<os>-<arch>=<sha256>;...`);
  return parseRelease(name.trim(), Object.fromEntries(pairs));
}

/** The platform by the names of Go, such as `linux-amd64`. */
export function platformOf(os: string, arch: string): string {
  return `${OS[os] ?? os}-${ARCH[arch] ?? arch}`;
}

const OS: Readonly<Record<string, string>> = { win32: "windows" };
const ARCH: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
