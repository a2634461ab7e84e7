/** A `go` for tests of what builds programs: it builds nothing. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Writes a `go` to `dir` that makes an empty program of every package, except those whose name contains `failing`. */
export function goThatMakesEmptyPrograms(dir: string, failing = "no such package"): NodeJS.ProcessEnv {
  const script = `#!/bin/sh
[ "$1" = version ] && { echo go version go1.26.0 test; exit; }
for last; do :; done
case "$last" in *"${failing}"*) echo it does not compile >&2; exit 1;; esac
while [ "$1" != -o ]; do shift; done
echo "$last" >> "${join(dir, "built")}"
: > "$2"
`;
  writeFileSync(join(dir, "go"), script);
  chmodSync(join(dir, "go"), 0o755);
  return { PATH: [dir, process.env["PATH"]].join(delimiter) };
}

/** The packages that it built, in their order. */
export function builtByFakeGo(dir: string): string[] {
  return existsSync(join(dir, "built")) ? readFileSync(join(dir, "built"), "utf8").trim().split("\n") : [];
}
