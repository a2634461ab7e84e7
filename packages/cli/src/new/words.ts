/** The one mechanism of templates: words of the template files, in paths and texts, are replaced. So templates are programs that run. */
import { camelOf, kebabOf, pascalOf, pluralOf, pluralVariableOf } from "./names.ts";

/** What replaces each word of a template. */
export type Words = Readonly<Record<string, string>>;

/** Returns the text with each word replaced. A longer word comes before a shorter one that it begins with. */
export function replaced(text: string, words: Words): string {
  const sorted = Object.keys(words).toSorted((a, b) => b.length - a.length);
  if (sorted.length === 0) return text;
  // Words have letters, digits, spaces, dashes and dots.
  const pattern = new RegExp(sorted.map((word) => word.replaceAll(".", "\\.")).join("|"), "g");
  return text.replace(pattern, (word) => words[word] ?? word);
}

/** Returns the words of an operator. */
export function operatorWords(name: string, version: string): Words {
  return { "template-operator": name, "0.0.0-template": `^${version}` };
}

/** Returns the words of a kind. `file` is the name of its file without `.ts`. */
export function kindWords(kind: string, file: string = kebabOf(kind)): Words {
  return {
    TemplateKind: kind,
    templateKinds: pluralVariableOf(kind),
    "template-kind": file,
    templatekinds: pluralOf(kind),
    templatekind: kind.toLowerCase(),
  };
}

/** Returns the words of a kind for an external resource. */
export function managedWords(kind: string): Words {
  const config = `${kind}Config`;
  return {
    TemplateManaged: kind,
    templateManageds: pluralVariableOf(kind),
    templateManagedHandlers: `${camelOf(kebabOf(kind))}Handlers`,
    templateManagedConfigs: pluralVariableOf(config),
    "template-managed": kebabOf(kind),
    templatemanageds: pluralOf(kind),
  };
}

/** Returns the words of a part, such as a step: `template-step`, `templateStep` and `TemplateStep`. */
export function partWords(type: string, name: string): Words {
  const word = `template-${type}`;
  return { [word]: name, [camelOf(word)]: camelOf(name), [pascalOf(word)]: pascalOf(name) };
}

/** Returns the words by which a project uses another package manager: the templates are written for npm. */
export function packageManagerWords(packageManager: PackageManager): Words {
  if (packageManager === "npm") return {};
  return {
    "npm ci": "corepack enable && pnpm install --frozen-lockfile",
    "npm install": "pnpm install",
    "npm run": "pnpm run",
    "npm test": "pnpm test",
    // pnpm hands `--` on to the program.
    " -- --": " --",
    "npx ": "pnpm exec ",
    "package-lock.json": "pnpm-lock.yaml",
  };
}

/** The package managers that a project can use. */
export const PACKAGE_MANAGERS = ["npm", "pnpm"] as const;

/** A package manager. */
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];
