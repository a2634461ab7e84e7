/** Names of releases and of what the cluster keeps of them. */
import { CliError } from "../cli-error.ts";

/** The handler name of releases: the prefix of labels, annotations and field managers of their objects. */
export const RELEASES = "releases.treadle.dev";
/** The label of the Secrets of a release: its name. */
export const NAME_LABEL: string = `${RELEASES}/name`;
/** The label of a Secret with a revision: its number. */
export const REVISION_LABEL: string = `${RELEASES}/revision`;

/** Maximum length, as that of Helm: names of objects are made of it. */
const MAX_LENGTH = 53;

/** @throws CliError for a name that a release cannot have */
export function checkReleaseName(name: string): void {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= MAX_LENGTH) return;
  const given = JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  const looksLikeSource = /[./\\]|^-$/.test(name);
  const advice = looksLikeSource ? "; the name of the release comes first: treadle apply NAME SOURCE..." : "";
  throw new CliError(
    `${given} cannot be the name of a release: use at most ${MAX_LENGTH} small letters, digits and "-", with a letter or digit at both ends${advice}`,
  );
}

/** The name of the Secret with the state of a release. Release names have no dot. */
export function headName(release: string): string {
  return `treadle-release.${release}`;
}

/** The name of the Secret with a revision of a release. */
export function revisionName(release: string, revision: number): string {
  return `treadle-release.${release}.${revision}`;
}
