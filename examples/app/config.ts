/** The ConfigMap of an App: the page that its web server shows. */
import { dependentApply, optional } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { App } from "./app.ts";
import { theme } from "./theme.ts";

/** The greeting, in the style of the theme if there is one. It is ready as soon as it exists. */
export const config = dependentApply(App, {
  name: "config",
  kind: ConfigMap,
  needs: [optional(theme)],
  desired: (app, { vars }) => {
    const style = vars.style === undefined ? "" : `<style>${vars.style}</style>\n`;
    return { data: { "index.html": `${style}<h1>${app.spec.greeting}</h1>\n` } };
  },
});
