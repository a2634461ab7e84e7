/**
 * `@treadle/generators/cdk8s`: a renderer whose objects are constructs of cdk8s. It runs in this process, and starts no program. An entry
 * point of its own, because `cdk8s` and `constructs` are optional peer dependencies.
 */
import { type KubernetesObject, parseApiVersion } from "@treadle/apimachinery";
import type { Edit, Manifest, RenderContext, Renderer } from "@treadle/dependents";
import { calledAsync } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { ApiObject, App, Chart, DependencyGraph } from "cdk8s";
import type { IConstruct } from "constructs";
import { withoutPrograms } from "./cdk8s/refusals.ts";
import { editObjects, type OneOrMore } from "./edits/calls.ts";
import { isClusterScoped } from "./edits/scope.ts";
import type { AnyContext } from "./edits/types.ts";

/** Adds the constructs of an owner to a chart. The owner is frozen. */
export type ChartBuild<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> = (
  chart: Chart,
  owner: T,
  context: RenderContext<R, V>,
) => unknown;

/** Options of {@link cdk8s}. */
export interface Cdk8sOptions<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> {
  /** Edits of the objects, in order. @defaultValue none */
  readonly edit?: OneOrMore<Edit<T, R, V>>;
}

/**
 * Returns a renderer of the constructs that `build` adds to a chart. `build` may be async. The chart has the namespace and the name of the
 * deployment, so an object without a name is `<name>-<ids of its constructs>`. No hash is in the name, except in charts that `build`
 * makes without `disableResourceNameHashes`. A dependency between constructs becomes `treadle.dev/after`: the object is applied when
 * the other one is ready.
 *
 * The constructs `Helm` and `Include` start programs and read addresses: they are refused. Use `helm()` and `manifests()` beside it, by
 * `merged()`.
 *
 * @throws TypeError if `build` is not a function. The renderer throws the error of `build` after `cdk8s: build`, and TerminalError with
 *   the code SynthesisFailed for constructs that are not valid, which names their path
 * @example
 * ```ts
 * cdk8s((chart, api: Api) => new ApiChart(chart, api.spec))
 * ```
 */
export function cdk8s<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  build: ChartBuild<T, R, V>,
  options: Cdk8sOptions<T, R, V> = {},
): Renderer<T, R, V> {
  if (typeof build !== "function")
    throw misuse("ERR_INVALID_STEP", "cdk8s: build is not a function: give one that adds constructs to a chart");
  return async (owner, context) => {
    const app = new App({ outdir: "", recordConstructMetadata: false });
    const chart = new Chart(app, context.name, {
      disableResourceNameHashes: true,
      ...(context.namespace === undefined ? {} : { namespace: context.namespace }),
    });
    await withoutPrograms(() => calledAsync("cdk8s: build", async () => void (await build(chart, owner, context))));
    context.signal.throwIfAborted();
    return editObjects(
      "cdk8s",
      withoutPrograms(() => synthesised(app, chart)),
      options.edit,
      owner,
      context,
    );
  };
}

/** Returns the objects of all charts of an app. What others depend on comes first. */
function synthesised(app: App, chart: Chart): readonly Manifest[] {
  try {
    const declared = declaredDependencies(app);
    chart.toJson(); // It validates all constructs, and resolves the dependencies between charts, by which the graph is sorted.
    const objects = new DependencyGraph(app.node).topology().filter((construct) => ApiObject.isApiObject(construct));
    const rendered = objects.map((object) => [object, object.toJson() as Manifest] as const); // The set checks the form of the objects.
    const all = rendered.map(([, manifest]) => manifest);
    const manifests = new Map(
      rendered.map(([object, manifest]) => [object, isClusterScoped(manifest, all) ? withoutNamespace(manifest) : manifest]),
    );
    return objects.flatMap((object) => {
      const manifest = manifests.get(object);
      const after = [...(declared.get(object) ?? [])].flatMap((each) => manifests.get(each) ?? []);
      return manifest === undefined ? [] : [withAfter(manifest, after.map(referenceTo))];
    });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`cdk8s: cannot synthesise the constructs: ${cause}`, { code: "SynthesisFailed", cause: error });
  }
}

/** The dependencies that code has declared, as those of objects. The synthesis adds others: each chart depends on the charts in it. */
function declaredDependencies(app: App): ReadonlyMap<ApiObject, ReadonlySet<ApiObject>> {
  const found = new Map<ApiObject, Set<ApiObject>>();
  const objectsIn = (construct: IConstruct): readonly ApiObject[] => construct.node.findAll().filter((each) => ApiObject.isApiObject(each));
  for (const construct of app.node.findAll()) {
    for (const dependency of construct.node.dependencies) {
      const targets = objectsIn(dependency);
      for (const source of objectsIn(construct)) {
        const known = found.get(source) ?? new Set();
        for (const target of targets) if (target !== source) known.add(target);
        found.set(source, known);
      }
    }
  }
  return found;
}

/** A chart gives its namespace to all objects. */
function withoutNamespace(manifest: Manifest): Manifest {
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

function withAfter(manifest: Manifest, references: readonly string[]): Manifest {
  if (references.length === 0) return manifest;
  const { annotations } = manifest.metadata;
  const present = annotations?.[AFTER];
  const after = [...(present === undefined ? [] : [present]), ...references].join(",");
  return { ...manifest, metadata: { ...manifest.metadata, annotations: { ...annotations, [AFTER]: after } } };
}

const AFTER = "treadle.dev/after";

/** `Kind.group/namespace/name`, as the annotation has it. */
function referenceTo({ apiVersion, kind, metadata }: Manifest): string {
  const { group } = parseApiVersion(apiVersion);
  return [group === "" ? kind : `${kind}.${group}`, ...(metadata.namespace === undefined ? [] : [metadata.namespace]), metadata.name].join(
    "/",
  );
}
