/** The options of `kustomize()`. Types only. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Edit, RenderContext } from "@treadle/dependents";
import type { OneOrMore } from "../edits/calls.ts";
import type { ParameterEdit, Parameters } from "../edits/types.ts";

/** Options of `kustomize()`. */
export interface KustomizeOptions<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> {
  /**
   * Whether Helm renders the files before Kustomize reads them. A function decides for each file, by its path in the folder with `/`; files
   * without `{{` are never rendered. @defaultValue false
   */
  readonly template?: boolean | ((file: string) => boolean);
  /**
   * Further values for the templates, or a function that returns them for an owner. `component`, `namespace`, `name`, `kubernetesVersion`
   * and `apiResources` are there without it. @defaultValue none
   */
  readonly values?: Parameters | ((object: T, context: RenderContext<R, V>) => object | Promise<object>);
  /** Changes the values of the templates, in order. @defaultValue none */
  readonly parameters?: OneOrMore<ParameterEdit<T, R, V>>;
  /** Changes or leaves out each object, in order. @defaultValue none */
  readonly edit?: OneOrMore<Edit<T, R, V>>;
  /** Whether a change of a file renders again. @defaultValue `process.env.NODE_ENV === "development"` */
  readonly watch?: boolean;
}
