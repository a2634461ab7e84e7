/** Metadata that cannot be decoded, with the texts of the real server. */

/** Type of a string that is not a valid time. `given` is then the whole message. */
export const TIME: string = "time";

/** A metadata field of the wrong JSON type, because of which the body cannot be decoded. `path` is empty for metadata itself. */
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

  /** Returns Go's text. Go reads the metadata of custom resources separately, and that of built-in kinds with the object. */
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
