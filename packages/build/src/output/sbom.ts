/**
 * The list of contents, as CycloneDX 1.6 in JSON: each package of which code is in the output. It has no time and no serial number, so two
 * builds of the same sources give the same bytes.
 */
import type { PackageFacts } from "../bundle/packages.ts";

interface Component {
  readonly type: "application" | "library";
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly object[];
  readonly purl: string;
}

const SPDX_ID = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

/** The document. `program` is the package of the entry. */
export function sbom(program: PackageFacts | undefined, packages: Iterable<PackageFacts>): string {
  const others = new Map(Array.from(packages, (each) => [purlOf(each), each]));
  if (program !== undefined) others.delete(purlOf(program));
  const components = [...others].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => component("library", each));
  const metadata = program === undefined ? {} : { metadata: { component: component("application", program) } };
  const refs = components.map((each) => each["bom-ref"]);
  const dependencies = program === undefined ? {} : { dependencies: [{ ref: purlOf(program), dependsOn: refs }] };
  return `${JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1, ...metadata, components, ...dependencies }, undefined, 2)}\n`;
}

function component(type: "application" | "library", facts: PackageFacts): Component {
  const { name, version, license } = facts;
  const purl = purlOf(facts);
  const [, scope, rest] = /^(?:(@[^/]+)\/)?(.*)$/.exec(name) ?? [];
  const licenses = license === undefined ? {} : { licenses: [licenseChoice(license)] };
  return { type, "bom-ref": purl, ...(scope === undefined ? {} : { group: scope }), name: rest ?? name, version, ...licenses, purl };
}

/** A text such as "SEE LICENSE IN x" is a name; ids and expressions have fields of their own. */
function licenseChoice(license: string): object {
  if (/ (?:AND|OR|WITH) /.test(license)) return { expression: license };
  return { license: SPDX_ID.test(license) && license !== "UNLICENSED" ? { id: license } : { name: license } };
}

function purlOf({ name, version }: PackageFacts): string {
  return `pkg:npm/${name.split("/").map(encodeURIComponent).join("/")}@${encodeURIComponent(version)}`;
}
