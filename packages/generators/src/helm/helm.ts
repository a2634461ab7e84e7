/**
 * A renderer of a Helm chart, by `helm template`.
 *
 * Guarantees
 * - Nothing is downloaded. A chart that would need it is refused when `helm()` is called.
 * - No value is in a command line, an environment, a file or an error.
 * - What exists stays when a chart does not render. The program does not run again until an input changes.
 *
 * Caveats: `.Release.Revision` is 1, and `lookup` finds nothing.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Edit, RenderContext, Renderer } from "@treadle/dependents";
import { hostOf, type RenderHost } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { editObjects } from "../edits/calls.ts";
import { requireOptions } from "../edits/options.ts";
import type { AnyContext, ParameterEdit, Parameters } from "../edits/types.ts";
import { valuesFor } from "../edits/values.ts";
import { HELM, inSlot, isOfInput } from "../programs/programs.ts";
import { jsonText } from "../text/json-text.ts";
import { type Chart, chartPath } from "./chart.ts";
import { CrdCache } from "./crd-cache.ts";
import { argumentsOf, requireRelease } from "./command.ts";
import { explain, listed } from "./explain.ts";
import { readOutput } from "./output.ts";
import { chartSource } from "./source.ts";

/** Options of {@link helm}. */
export interface HelmOptions<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> {
  /** The values, as in `helm template --values`; a function returns them for an owner. @defaultValue those of the chart */
  readonly values?: HelmValues<T, R, V>;
  /** Changes the values before the chart is rendered, in order. @defaultValue none */
  readonly parameters?: ParameterEdit<T, R, V> | readonly ParameterEdit<T, R, V>[];
  /** Changes or leaves out each object of the chart, in order. @defaultValue none */
  readonly edit?: Edit<T, R, V> | readonly Edit<T, R, V>[];
  /** Whether a change of the files of the chart renders again. @defaultValue `process.env.NODE_ENV === "development"` */
  readonly watch?: boolean;
}

/** Values of a chart, or a function that returns them. They are plain JSON. */
export type HelmValues<T extends KubernetesObject, R, V> =
  | Parameters
  | ((owner: T, context: RenderContext<R, V>) => object | Promise<object>);

/**
 * Returns a renderer of a Helm chart: a folder, or a `.tgz` archive. It runs `helm template` with the name and the namespace of the
 * placement. All dependencies of the chart are in its folder `charts/`. Objects in `crds/` are objects as all others.
 *
 * Hooks, their weights and delete policies, and `helm.sh/resource-policy: keep` become policies of the set. Hooks for delete are an error.
 * Hooks for rollback and test are left out.
 *
 * The chart is read when `helm()` is called: an operator with a broken chart does not start. Name the chart by a URL, so that it is found
 * from any working directory.
 * @throws Error with code ERR_INVALID_CHART that names all problems; TypeError for options that are not valid
 * @example
 * ```ts
 * objects: helm(new URL("./chart", import.meta.url), { values: (redis: Redis) => ({ replicas: redis.spec.replicas }) })
 * ```
 */
export function helm<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  chart: URL | string,
  options: HelmOptions<T, R, V> = {},
): Renderer<T, R, V> {
  requireOptions("helm", options, ["values", "parameters", "edit", "watch"]);
  const source = chartSource(chartPath(chart), options.watch ?? process.env["NODE_ENV"] === "development");
  return async (owner, context) => {
    const host = hostOf(context);
    if (source.live !== undefined) host.dependsOn(source.live);
    const current = source.current();
    // Facts that are not known yet end the call here, before any work.
    const kubeVersion = context.cluster.version;
    const asked = current.mentionsApiVersions ? context.cluster.kinds.all() : undefined;
    const release = requireRelease(context);
    const { values: given, parameters } = options;
    const values = await valuesFor({ where: "helm", values: given, parameters }, owner, context);
    const input = jsonText(values);
    // A value may be a template, which `tpl` renders.
    const apiVersions = asked ?? (input.includes("APIVersions") ? context.cluster.kinds.all() : []);
    const args = argumentsOf(current.path, { ...release, kubeVersion, apiVersions, isUpgrade: !context.release.isInstall });
    const stdout = await rendered(host, current, { args, input, values, signal: context.signal });
    const { objects, problems } = await readOutput(stdout, {
      isInstall: context.release.isInstall,
      prefixes: host.prefixes,
      refusalOf: host.refusalOf,
      crds: host.shared(CRDS, () => new CrdCache()),
      signal: context.signal,
    });
    if (problems.length > 0) throw failure(host, current, { code: "ChartInvalid", message: listed(problems) });
    return editObjects("helm", objects, options.edit, owner, context);
  };
}

/** Identifies the CRDs among the shared values of an operator. */
const CRDS: object = {};

interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly values: Parameters;
  readonly signal: AbortSignal;
}

/** @throws TerminalError for a chart that does not render, and what `inSlot()` throws */
async function rendered(host: RenderHost, chart: Chart, { args, input, values, signal }: Call): Promise<string> {
  try {
    const { stdout } = await inSlot(host, ["helm", args, input], (run) => run(HELM, { args, input, signal }));
    return stdout;
  } catch (error) {
    if (!isOfInput(error)) throw error;
    throw failure(host, chart, explain(error.stderr, { values, words: chart.words() }));
  }
}

/** No cause: the output of the program may contain values. */
function failure(
  host: RenderHost,
  { name, version }: Chart,
  { code, message }: { readonly code: string; readonly message: string },
): Error {
  return new TerminalError(host.hide(`cannot render the chart ${name} ${version}: ${message}`), { code });
}
