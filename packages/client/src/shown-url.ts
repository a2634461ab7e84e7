/** URLs in errors and metrics. */

/**
 * Origin and path of `text`, without slashes at the end. User, password, query and fragment may be secrets; they are removed from
 * invalid URLs as well.
 */
export function shownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:")) return (url.origin + url.pathname).replace(/\/+$/, "");
  // Greedy up to the last "@", since a password may contain any other character, such as the "#" that makes the URL invalid.
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?.*@/is, "$1").replace(/[?#].*$/s, "");
}
