/** The errors of conversions. */

/** An object that cannot be converted. The message names kind, versions, function and object, and no values of the object. */
export class ConversionError extends Error {
  /** The name of the class. */
  override readonly name = "ConversionError";
  /** The reason: the version does not exist, a function threw, or a function returned what is no object of the version. */
  readonly code: "ERR_UNKNOWN_VERSION" | "ERR_CONVERSION_FAILED" | "ERR_CONVERSION_RESULT";

  constructor(code: ConversionError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
