/** URLs as errors and observers show them. */

/**
 * Origin and path of `text`, without slashes at the end: user, password, query and fragment may be secrets. A text that
 * is no HTTP URL loses what would be those.
 */
export function shownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:")) return (url.origin + url.pathname).replace(/\/+$/, "");
  // Greedy up to the last "@": a password may contain any other sign, and one like "#" or "/" is why the text is no URL.
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?.*@/is, "$1").replace(/[?#].*$/s, "");
}
