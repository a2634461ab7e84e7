/** What the bundler asks of a build: which modules there are, and what their sources become. */
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, extname, join } from "node:path";
import type { Plugin } from "rolldown";
import { asFunction, awaitsAtTop, commonJsLine } from "./entry.ts";
import type { NamedFiles } from "./files.ts";
import { type Finding, isInstalled } from "./findings.ts";
import { changesOf, WORTH_A_LOOK } from "./sources.ts";
import { edited, lineOf, parse } from "./syntax.ts";

/** What the plugin is told, and where it reports. */
export interface PluginOptions {
  readonly entry: string;
  /** The entry becomes a function where it awaits at its top. */
  readonly isScript: boolean;
  readonly files: NamedFiles;
  readonly toFiles: string;
  /** Packages that are left out: their import fails at run time, as if they were not installed. */
  readonly omit: readonly string[];
  readonly findings: Finding[];
}

const OMITTED = "\0treadle-omitted:";
/** They load an addon by a path that they compute. */
const ADDON_LOADERS = new Set(["bindings", "node-gyp-build", "node-gyp-build-optional-packages", "@mapbox/node-pre-gyp", "node-pre-gyp"]);
const SOURCES = /\.[cm]?[jt]sx?$/;

/** The plugin of a build. */
export function sourcesPlugin(options: PluginOptions): Plugin {
  return {
    name: "treadle-build",
    resolveId: {
      order: "pre",
      async handler(source, importer, { kind, isEntry }) {
        if (isEntry || importer === undefined || source.startsWith("\0") || isBuiltin(source)) return null;
        const name = packageOf(source);
        if (name !== undefined && options.omit.includes(name)) return `${OMITTED}${source}`;
        const isAddon = extname(source) === ".node" || (name !== undefined && ADDON_LOADERS.has(name));
        const found = isAddon ? null : await this.resolve(source, importer, { kind, skipSelf: true });
        if (found !== null && !found.external && extname(found.id) === ".css") {
          const fix = "remove the import; a file to be read is named by new URL()";
          options.findings.push({ ...placeOf(source, importer), what: `${JSON.stringify(source)} is a style sheet, and no module`, fix });
          return `${OMITTED}${source}`;
        }
        if (found !== null && !found.external && extname(found.id) !== ".node") return found;
        const isAddonFound = isAddon || (found !== null && extname(found.id) === ".node");
        // A package may look for another one and go on without it.
        const isOptional = !isAddonFound && isInstalled(importer) && kind !== "import-statement";
        if (!isOptional) options.findings.push(missing(source, importer, isAddonFound));
        return `${OMITTED}${source}`;
      },
    },
    load: {
      handler: (id) => (id.startsWith(OMITTED) ? { code: omitted(id.slice(OMITTED.length)), moduleType: "js" } : null),
    },
    transform: {
      filter: { id: SOURCES },
      handler(code, id) {
        const isEntry = id === options.entry;
        if (!isEntry && !WORTH_A_LOOK.test(code)) return null;
        const changed = sourceOf(options, { code, id, isEntry });
        // No line moves, so the lines of the source map stay right.
        return changed === code ? null : { code: changed, map: null };
      },
    },
  };
}

function sourceOf(options: PluginOptions, module: { readonly code: string; readonly id: string; readonly isEntry: boolean }): string {
  const { code, id, isEntry } = module;
  const program = parse(code, id);
  if (program === undefined) return code;
  const line = isEntry ? commonJsLine(code, program) : undefined;
  if (line !== undefined) {
    const fix = "write import and export in place of require and module.exports";
    options.findings.push({ module: id, line, what: "the program is CommonJS", fix });
  }
  const { edits, findings } = changesOf({ ...module, files: options.files, toFiles: options.toFiles }, program);
  options.findings.push(...findings);
  const changed = edited(code, edits);
  if (!isEntry || !options.isScript || !awaitsAtTop(program)) return changed;
  const again = parse(changed, id);
  return again === undefined ? changed : asFunction(changed, again);
}

/** The import of `source`: it ends the build in a package as well. */
function placeOf(source: string, importer: string): Pick<Finding, "module" | "line" | "isFatal"> {
  const code = readFileSync(importer, "utf8");
  const at = [`"${source}"`, `'${source}'`].map((each) => code.indexOf(each)).find((each) => each >= 0) ?? 0;
  return { module: importer, line: lineOf(code, at), isFatal: true };
}

function missing(source: string, importer: string, isAddon: boolean): Finding {
  const owner = ownerOf(importer);
  const place = placeOf(source, importer);
  if (!isAddon) return { ...place, what: `${JSON.stringify(source)} does not exist`, fix: fixOf(source, importer) };
  const fix =
    owner === undefined
      ? "use a package in plain JavaScript or WebAssembly"
      : `replace the package ${owner}, or leave it out by --omit ${owner} if the program runs without it`;
  return { ...place, what: `${JSON.stringify(source)} is a native addon, which cannot be in a bundle`, fix };
}

function fixOf(source: string, importer: string): string {
  if (source.startsWith(".") || source.startsWith("/")) return "correct the path";
  if (source.startsWith("#")) return "name it in the imports of package.json";
  if (source.startsWith("node:")) return `Node ${process.version} has no such module: correct the name`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(source)) return "put the module into a file, and import that";
  const name = packageOf(source) ?? source;
  if (!isThere(name, dirname(importer))) return `install ${name}`;
  return `the package ${name} is installed, so correct the name of its part, or install it again`;
}

/** Whether a package is in a `node_modules` of the folder or of one above. */
function isThere(name: string, folder: string): boolean {
  if (existsSync(join(folder, "node_modules", name))) return true;
  return folder !== dirname(folder) && isThere(name, dirname(folder));
}

/**
 * The module in place of one that is left out. CommonJS, so any name can be imported from it: the bundler drops what follows a throw before
 * it looks for the exports.
 */
function omitted(source: string): string {
  const message = `Cannot find package '${source}': it is not in this bundle`;
  return `module.exports = {}; throw Object.assign(new Error(${JSON.stringify(message)}), { code: "MODULE_NOT_FOUND" });`;
}

/** The package that an import names. */
function packageOf(source: string): string | undefined {
  return /^(?:@[^/]+\/)?[^./@][^/]*/.exec(source)?.[0];
}

/** The installed package of a module. */
function ownerOf(module: string): string | undefined {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module)?.[1]?.replace("\\", "/");
}
