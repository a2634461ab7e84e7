/** Metadata that cannot be decoded, in the words of the real server. */

/** The type of a time that is a text, but no time: `given` is the whole complaint. */
export const TIME: string = "time";

/** A metadata field of the wrong JSON type: such a body cannot be decoded at all. `path` is empty for metadata itself. */
export class MetaTypeError extends Error {
  override readonly name = "MetaTypeError";
  readonly path: readonly string[];
  readonly goType: string;
  readonly given: string;

  constructor(path: readonly string[], goType: string, given: string) {
    super(`json: cannot unmarshal ${given} into metadata${path.map((field) => `.${field}`).join("")} of type ${goType}`);
    this.path = path;
    this.goType = goType;
    this.given = given;
  }

  /** In the words of Go, which reads the metadata of custom resources by itself and that of built-in ones with the object. */
  describe({ isCustom, kind }: { readonly isCustom: boolean; readonly kind: string }): string {
    if (this.goType === TIME) return this.given;
    const [field = "", inner] = this.path;
    const owner =
      field === "" ? kind : inner === undefined ? "ObjectMeta" : field === "managedFields" ? "ManagedFieldsEntry" : "OwnerReference";
    const path = [...(isCustom ? [] : ["metadata"]), ...this.path].join(".");
    const target = path === "" ? "value" : `struct field ${owner}.${path}`;
    return `json: cannot unmarshal ${this.given} into Go ${target} of type ${this.goType}`;
  }
}
