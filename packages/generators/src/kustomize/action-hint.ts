/** Finds template actions in a folder that is not rendered as templates: the option `template` was forgotten. */

/** Returns what to add to an error of Kustomize if a YAML file has a template action; else an empty text. */
export function actionHint(files: Iterable<readonly [file: string, content: () => Uint8Array]>): string {
  for (const [file, content] of files) {
    if (!/\.ya?ml$|(?:^|\/)Kustomization$/.test(file)) continue;
    const lines = Buffer.from(content()).toString().split("\n");
    const line = lines.findIndex((each) => /^[^#]*\{\{/.test(each));
    if (line !== -1) return `; ${file}:${line + 1} has a template action: set template to true if Helm should render the files`;
  }
  return "";
}
