/**
 * The references in a Kustomization, and in the configuration of a built-in plugin: everything that names a file, a folder or a URL.
 *
 * Guarantees
 * - Each field that Kustomize reads a path from is known here. A field that is not known is a problem, since it may be one of them.
 * - Names of fields are compared as Kustomize does: without regard to case.
 */
import { readYaml } from "@treadle/dependents/unstable/render";

/** What a reference may name. A plugin is a file or a folder with the configuration of plugins. */
export type Target = "file" | "folder" | "file or folder" | "plugin";

/** A path or URL in a Kustomization. */
export interface Reference {
  /** The field, such as `resources[2]`. */
  readonly field: string;
  /** What the field contains, without the key of `key=path`. */
  readonly path: string;
  readonly target: Target;
}

/** What is found in a document. */
export interface Found {
  readonly references: readonly Reference[];
  /** What is wrong, each after its field. Contains no value. */
  readonly problems: readonly string[];
}

type Read = (found: Collected, field: string, value: unknown) => void;

/** A list of what `each` reads. */
const listOf =
  (each: Read): Read =>
  (found, field, value) => {
    if (value === null) return;
    if (Array.isArray(value)) value.forEach((entry, i) => each(found, `${field}[${i}]`, entry));
    else found.problems.push(`${field} must be a list`);
  };

/** An object with fields of which `fields` has those with references. All others are checked by Kustomize. */
const objectOf =
  (fields: Readonly<Record<string, Read>>, others?: ReadonlySet<string>): Read =>
  (found, field, value) => {
    if (value === null) return;
    if (typeof value !== "object" || Array.isArray(value)) {
      found.problems.push(`${field === "" ? "the document" : field} must be a map`);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      const name = folded(key);
      const place = field === "" ? key : `${field}.${key}`;
      const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (read !== undefined) read(found, place, member);
      else if (others?.has(name) === false) found.problems.push(`${shown(place)} is not a field that Kustomize knows`);
    }
  };

const reference =
  (target: Target): Read =>
  (found, field, value) => {
    if (value === null) return;
    if (typeof value === "string") found.references.push({ field, path: value, target });
    else found.problems.push(`${field} must be a text`);
  };

/** `[key=]path` */
const keyedFile: Read = (found, field, value) => {
  const path = typeof value === "string" && value.includes("=") ? value.slice(value.indexOf("=") + 1) : value;
  reference("file")(found, field, path);
};

/** The text of a patch, or the path of a file with one. */
const patchOrFile: Read = (found, field, value) => {
  if (typeof value === "string" && documentsIn(value) !== undefined) return;
  reference("file")(found, field, value);
};

/** The text of the configuration of a plugin, or the path of a file or folder with it. */
const plugin: Read = (found, field, value) => {
  const documents = typeof value === "string" ? documentsIn(value) : undefined;
  if (documents === undefined) reference("plugin")(found, field, value);
  else documents.forEach((each) => readPlugin(found, field, each));
};

const refused =
  (reason: string): Read =>
  (found, field) =>
    void found.problems.push(`${field}: ${reason}`);

const helm = refused("Kustomize does not run Helm here: use helm() for the chart, and merged() for both");
const withPath = listOf(objectOf({ path: reference("file") }));
const sources: Readonly<Record<string, Read>> = {
  files: listOf(keyedFile),
  envs: listOf(reference("file")),
  env: reference("file"),
};

const FIELDS: Readonly<Record<string, Read>> = {
  resources: listOf(reference("file or folder")),
  bases: listOf(reference("file or folder")),
  components: listOf(reference("folder")),
  crds: listOf(reference("file")),
  configurations: listOf(reference("file")),
  generators: listOf(plugin),
  transformers: listOf(plugin),
  validators: listOf(plugin),
  patches: withPath,
  patchesjson6902: withPath,
  patchesstrategicmerge: listOf(patchOrFile),
  replacements: withPath,
  configmapgenerator: listOf(objectOf(sources)),
  secretgenerator: listOf(objectOf(sources)),
  openapi: objectOf({ path: reference("file") }),
  helmcharts: helm,
  helmglobals: helm,
  helmchartinflationgenerator: helm,
};

/** The fields of a Kustomization that contain no reference. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(
  (
    "apiVersion kind metadata namePrefix nameSuffix namespace commonLabels labels commonAnnotations images imageTags replicas vars " +
    "sortOptions generatorOptions buildMetadata"
  )
    .split(" ")
    .map(folded),
);

const kustomization = objectOf(FIELDS, OTHER_FIELDS);

/** The fields of the built-in plugins, of all kinds together: a field that a kind does not have is no reference. */
const pluginConfiguration = objectOf({
  ...sources,
  path: reference("file"),
  paths: listOf(patchOrFile),
  targetfilepath: reference("file"),
  replacements: withPath,
});

/** Returns the references in a Kustomization or Component. */
export function referencesIn(document: unknown): Found {
  const found = new Collected();
  kustomization(found, "", document);
  return found;
}

/** Returns the references in a document with the configuration of a plugin. */
export function pluginReferencesIn(document: unknown): Found {
  const found = new Collected();
  readPlugin(found, "", document);
  return found;
}

const PLUGIN_FIELDS: ReadonlySet<string> = new Set(["generators", "transformers", "validators"]);

/** Returns a copy of a Kustomization in which `write` has written the configurations of plugins that are texts in it. */
export function inlinePlugins(document: unknown, write: (plugins: readonly unknown[]) => string): unknown {
  if (typeof document !== "object" || document === null) return document;
  const written = (entry: unknown): unknown => {
    const documents = typeof entry === "string" ? documentsIn(entry) : undefined;
    return documents === undefined ? entry : write(documents);
  };
  const copy = Object.entries(document).map(([key, value]: [string, unknown]) => [
    key,
    PLUGIN_FIELDS.has(folded(key)) && Array.isArray(value) ? value.map(written) : value,
  ]);
  return Object.fromEntries(copy) as unknown;
}

/** Whether Kustomize would fetch something, or might in another version: a URL, an address of git or a host that it knows. */
export function isRemote(path: string): boolean {
  return SCHEME.test(path) || isRemoteText(path);
}

/** A scheme, also that of `git::https://` or `gh:`. */
const SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;
const KNOWN = /^\s*(?:git::)*(?:[a-z][a-z0-9+.-]*:\/\/|[^/@\s]+@[^/]*[/:]|(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)[/:])/i;

/** As {@link isRemote}, for a text that may be YAML. */
function isRemoteText(text: string): boolean {
  return KNOWN.test(text) || /^\s*(?:git::|https?:)/i.test(text);
}

class Collected implements Found {
  readonly references: Reference[] = [];
  readonly problems: string[] = [];
}

function readPlugin(found: Collected, field: string, document: unknown): void {
  if (document === null) return;
  const { apiVersion, kind } = (typeof document === "object" ? document : {}) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  const place = field === "" ? "" : `${field}: `;
  if (typeof kind === "string" && kind.endsWith("List")) found.problems.push(`${place}write the plugins as documents, not as a list`);
  else if (apiVersion !== "builtin") found.problems.push(`${place}only plugins with the apiVersion "builtin" run here, and no programs`);
  else if (kind === "HelmChartInflationGenerator") helm(found, field || "kind", kind);
  else pluginConfiguration(found, field, document);
}

/** The objects that a text contains; `undefined`: it is a path. */
function documentsIn(text: string): readonly unknown[] | undefined {
  if (isRemoteText(text)) return undefined;
  try {
    const documents = readYaml(text)
      .map(({ value }) => value)
      .filter((value) => value !== null);
    return documents.length > 0 && documents.every(isObjectOfKind) ? documents : undefined;
  } catch {
    return undefined; // Kustomize takes it for a path, too.
  }
}

/** Kustomize takes any other text for a path. */
function isObjectOfKind(value: unknown): boolean {
  const { kind, metadata } = (value ?? {}) as { readonly kind?: unknown; readonly metadata?: { readonly name?: unknown } | null };
  return typeof kind === "string" && kind !== "" && typeof metadata?.name === "string" && metadata.name !== "";
}

/** As Go compares the names of JSON fields: the long s and the Kelvin sign are letters, too. */
function folded(key: string): string {
  return key.toUpperCase().toLowerCase();
}

/** A key may come from a template. */
function shown(place: string): string {
  return /^[\w.[\]-]{1,64}$/.test(place) ? place : "a field";
}
