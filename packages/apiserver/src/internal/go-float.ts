/** Returns a floating-point number as Go prints it with `%v`: with an exponent below 1e-4 and from seven digits on. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf("e") + 1));
  if (value !== 0 && (exponent < -4 || exponent >= WIDEST)) return text.replace(/e([+-])(\d)$/, "e$10$2");
  return String(value);
}

/** Power of ten from which `strconv.FormatFloat` with the shortest precision writes an exponent. */
const WIDEST = 6;
