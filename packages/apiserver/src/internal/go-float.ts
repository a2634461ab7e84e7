/** A floating-point number as Go writes it with `%v`: with an exponent below 1e-4 and from seven digits on. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf("e") + 1));
  if (value !== 0 && (exponent < -4 || exponent >= WIDEST)) return text.replace(/e([+-])(\d)$/, "e$10$2");
  return String(value);
}

/** Of `strconv.FormatFloat` with the shortest precision: from this power of ten on it writes an exponent. */
const WIDEST = 6;
