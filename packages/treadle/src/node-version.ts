/** The version of Node that the commands need. This file uses no syntax that older versions of Node cannot parse. */

/** Oldest version, as in `engines` of package.json. */
export const NEEDED_NODE = "22.19";

/** Returns why `version`, such as `20.11.1`, cannot run the commands; `undefined` where it can. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `it needs Node ${NEEDED_NODE} or later, and this is Node ${version}; install a newer Node (https://nodejs.org)`;
}
