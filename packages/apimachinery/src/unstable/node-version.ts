/**
 * The version of Node that the programs of Treadle need. A program imports nothing but this file before it has looked at the version, so that an old
 * Node shows a sentence, and no SyntaxError. So this file has no imports, and no syntax that Node 12 cannot parse.
 */

/** Oldest version, as in `engines` of package.json. */
export const NEEDED_NODE = "22.19";

/** Returns why `version`, such as `20.11.1`, cannot run the programs; `undefined` where it can. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `it needs Node ${NEEDED_NODE} or later, and this is Node ${version}; install a newer Node (https://nodejs.org)`;
}
