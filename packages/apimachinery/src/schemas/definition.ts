/** The form of the generated definitions. Types only. */

/** A built-in type: its schema as JSON text, which is parsed when it is needed, and the definitions to which the schema refers. */
export interface Definition {
  /** The {@link ObjectJson} of the type. */
  readonly json: string;
  /** The definitions by the names that `$ref` has. */
  readonly refs: () => Readonly<Record<string, Definition>>;
}

/** The schema of an object type. The JSON is generated, and a test compares it with the OpenAPI of the server. */
export interface ObjectJson extends SchemaJson {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, SchemaJson>>;
}

/** The schema of a value. Exactly one of `$ref` and `type` is present. */
export interface SchemaJson {
  readonly $ref?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean" | "quantity" | "intOrString";
  readonly description?: string;
  readonly format?: "int32" | "int64";
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly items?: SchemaJson;
  readonly additionalProperties?: SchemaJson;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
}
