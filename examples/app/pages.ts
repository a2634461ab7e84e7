/** The pages of an App: one ConfigMap for each page in its spec. */
import { dependentApply } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { App } from "./app.ts";

/** The ConfigMap of a page is `<app>-<page>`. It is deleted when its page is no longer in the spec. */
export const pages = dependentApply(App, {
  name: "pages",
  kind: ConfigMap,
  each: (app) => app.spec.pages.map((page) => ({ key: page.name, ...page })),
  desired: (_app, _inputs, page) => ({ data: { [`${page.name}.html`]: `<p>${page.text}</p>\n` } }),
  gives: { pageFile: (live) => live.metadata.name },
});
