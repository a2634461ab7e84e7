/** Which golden files the cases of a component give, and which cases are missing. Pure. */
import { type PreviewOptions, type RenderedResource, renderResourcesOf } from "../preview.ts";
import type { AnyComponent } from "../types.ts";
import { toYaml } from "./to-yaml.ts";

/** One case of the goldens: an owner, and the values that a cluster has. */
export interface GoldenCase<Owner, V extends object = Readonly<Record<string, unknown>>> extends PreviewOptions<V> {
  /** The owner, as `preview()` takes it. */
  readonly object: Owner;
}

/** A case in a list. */
export interface NamedGoldenCase<Owner, V extends object = Readonly<Record<string, unknown>>> extends GoldenCase<Owner, V> {
  /** The name of the case, unique among the cases. */
  readonly name: string;
}

/** Cases by name, or a list of named cases. */
export type GoldenCases<Owner, V extends object = Readonly<Record<string, unknown>>> =
  | Readonly<Record<string, GoldenCase<Owner, V>>>
  | readonly NamedGoldenCase<Owner, V>[];

/** What a test has to compare. */
export interface GoldenPlan {
  /** The text of each file, by the name of the file. */
  readonly files: ReadonlyMap<string, string>;
  /** What no case covers, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Returns the files of a component. Its cases are grouped by the layers that fire and by the resources that have objects. The first
 * case of a group names the file and gives its text.
 * @throws TypeError for no cases, two cases of one name, and a name that gives no file name; Error for a case that cannot be rendered
 */
export function goldenPlanOf(component: AnyComponent, given: GoldenCases<unknown>, shared: PreviewOptions = {}): GoldenPlan {
  const render = renderResourcesOf(component);
  if (render === undefined) throw new TypeError("expectGoldens: the first argument must be what component() returned");
  const groups = new Map<string, { readonly file: string; readonly resources: readonly RenderedResource[] }>();
  const seen = new Seen();
  for (const { name, object, ...options } of casesOf(component.name, given)) {
    const all = { ...shared, ...options, data: { ...shared.data, ...options.data } };
    const { firing, resources } = inCase(component.name, name, () => ({
      firing: component.firing(object, all),
      resources: render(object as object, all),
    }));
    seen.add(firing);
    const group = JSON.stringify([firing, resources.filter(hasObjects).map((resource) => resource.name)]);
    if (!groups.has(group)) groups.set(group, { file: fileOf(component.name, name), resources });
  }
  const objectsOf = ({ resources }: { readonly resources: readonly RenderedResource[] }): object[] =>
    resources.flatMap(({ objects }) => [...objects]);
  return {
    files: new Map([...groups.values()].map((group) => [group.file, toYaml(objectsOf(group))])),
    problems: seen.missing(component.layers),
  };
}

/** Returns those of `names` that are goldens of the component, and are not in the plan. */
export function staleGoldens(component: string, { files }: GoldenPlan, names: readonly string[]): readonly string[] {
  const isOurs = (name: string): boolean => name.startsWith(`${fileName(component)}.`) && name.endsWith(".yaml");
  return names.filter((name) => isOurs(name) && !files.has(name)).toSorted();
}

function hasObjects({ objects }: RenderedResource): boolean {
  return objects.length > 0;
}

/** The layers that the cases have fired. */
class Seen {
  readonly #layers = new Set<string>();

  add(firing: Readonly<Record<string, readonly string[]>>): void {
    for (const [resource, layers] of Object.entries(firing)) for (const layer of layers) this.#layers.add(idOf(resource, layer));
  }

  missing(layers: Readonly<Record<string, readonly string[]>>): readonly string[] {
    return Object.entries(layers).flatMap(([resource, names]) =>
      names
        .filter((name) => !this.#layers.has(idOf(resource, name)))
        .map((name) => `no case fires the layer "${name}" of "${resource}": add a case in which its gates hold`),
    );
  }
}

function idOf(resource: string, layer: string): string {
  return JSON.stringify([resource, layer]);
}

/** @throws TypeError for what is not a list or a record of cases with different names */
function casesOf(component: string, given: GoldenCases<unknown>): readonly NamedGoldenCase<unknown>[] {
  const where = `goldens of component "${component}"`;
  if (typeof given !== "object" || given === null)
    throw new TypeError(`${where}: cases must be a record or a list of cases, each with an object`);
  const list = Array.isArray(given)
    ? (given as readonly NamedGoldenCase<unknown>[])
    : Object.entries(given as Readonly<Record<string, GoldenCase<unknown>>>).map(([name, each]) => ({ ...each, name }));
  if (list.length === 0) throw new TypeError(`${where}: there are no cases: add one, such as { plain: { object: { spec: {} } } }`);
  const byFile = new Map<string, string>();
  for (const { name, object } of list) {
    if (typeof name !== "string" || fileName(name) === "")
      throw new TypeError(`${where}: a case has the name ${JSON.stringify(name)}: its name needs a letter or a digit, for the file`);
    if (typeof object !== "object" || object === null)
      throw new TypeError(`${where}: the case "${name}" has no object: give it the owner, { object: { spec: { ... } } }`);
    // Some file systems do not distinguish upper case.
    const file = fileName(name).toLowerCase();
    const other = byFile.get(file);
    if (other === name) throw new TypeError(`${where}: two cases have the name "${name}": rename one of them`);
    if (other !== undefined)
      throw new TypeError(`${where}: the cases "${other}" and "${name}" have the same file name: rename one of them`);
    byFile.set(file, name);
  }
  return list;
}

function fileOf(component: string, name: string): string {
  return `${fileName(component)}.${fileName(name)}.yaml`;
}

/** Returns `name` as a part of a file name. */
function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
}

/** @throws an error that names the case */
function inCase<Result>(component: string, name: string, render: () => Result): Result {
  try {
    return render();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(`goldens of component "${component}": cannot render the case "${name}": ${text}`, { cause: error });
  }
}
