/** What goes wrong with certificates, tokens and clocks on real sockets names the culprit, the file and what to do. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock, kind } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const day = 86_400_000;

/** What a list says when the kubeconfig is so; files are paths relative to it. */
async function failure(
  server: string,
  files: Readonly<Record<string, string>>,
  given: { readonly user?: object; readonly nowMs?: number } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), "treadle-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "main",
      contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server, ...(files["ca.crt"] === undefined ? {} : { "certificate-authority": "ca.crt" }) } }],
      users: [{ name: "u", user: given.user ?? {} }],
    }),
  );
  const client = await connect({
    kubeconfig,
    env: {},
    retry: false,
    ...(given.nowMs === undefined ? {} : { clock: fakeClock(given.nowMs) }),
  });
  onTestFinished(() => client.close());
  const error = await client.list(Widget).catch((cause: unknown) => cause);
  return { text: String(error).replaceAll(directory, "DIR"), error };
}

test("the error for a wrong authority names it", async () => {
  const [ours, other] = [await selfSigned("one"), await selfSigned("two")];
  const server = await startServer((_, response) => response.end("{}"), ours);
  const { text, error } = await failure(server.url, { "ca.crt": other.cert });
  expect(error).toMatchObject({ code: "ERR_TLS" });
  expect(text).toContain(`cannot list Widget: no trusted connection to ${server.url}: `);
  expect(text).toContain("its certificate is not signed by the authority from DIR/ca.crt");
});

test("the error for an expired or not yet valid authority names the clock", async () => {
  const now = Date.now();
  const old = await selfSigned("old", { from: new Date(now - 9 * day), to: new Date(now - day) });
  const server = await startServer((_, response) => response.end("{}"), old);
  const expired = await failure(server.url, { "ca.crt": old.cert });
  expect(expired.text).toContain("the authority from DIR/ca.crt expired at ");
  expect(expired.text).toContain("renew it, or correct this machine's clock, which says ");
  const next = await selfSigned("next", { from: new Date(now + day), to: new Date(now + 9 * day) });
  server.setKeys(next);
  const early = await failure(server.url, { "ca.crt": next.cert });
  expect(early.text).toContain("by this machine's clock, which says ");
});

test("the error for an expired client certificate names it, also when the server closes the connection", async () => {
  const keys = await selfSigned("one");
  const old = await selfSigned("jane", { from: new Date(Date.now() - 9 * day), to: new Date(Date.now() - day) });
  const server = await startServer((_, response) => response.end("{}"), {
    ...keys,
    ca: old.cert,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const files = { "ca.crt": keys.cert, "u.crt": old.cert, "u.key": old.key };
  const { text } = await failure(server.url, files, { user: { "client-certificate": "u.crt", "client-key": "u.key" } });
  expect(text).toContain("the client certificate from DIR/u.crt expired at ");
});

test("the error for an expired token or a wrong clock names it", async () => {
  const keys = await selfSigned("one");
  const server = await startServer((_, response) => void response.writeHead(401).end('{"kind":"Status","message":"Unauthorized"}'), keys);
  const exp = Math.floor(Date.now() / 1000) - 3600;
  const jwt = `h.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.hunter2`;
  const files = { "ca.crt": keys.cert, token: jwt };
  const expired = await failure(server.url, files, { user: { tokenFile: "token" } });
  expect(expired.text).toContain("does not accept the credentials from DIR/kubeconfig: the token from DIR/token expired at ");
  expect(expired.text).not.toContain("hunter2");
  const inline = await failure(server.url, { "ca.crt": keys.cert }, { user: { token: jwt } });
  expect(inline.text).toContain('the token from token of "u" in DIR/kubeconfig expired at ');
  const skewed = await failure(server.url, files, { user: { tokenFile: "token" }, nowMs: Date.now() - 30 * day });
  expect(skewed.text).toContain("the clocks differ: here it is ");
});

test("the errors for a closed port, a server without TLS and an unknown host tell them apart", async () => {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { readonly port: number }; // it listens on TCP
  await new Promise((resolve) => listener.close(resolve));
  const refused = await failure(`https://127.0.0.1:${port}`, {});
  expect(refused.text).toContain("ECONNREFUSED");
  expect(refused.text).toContain("check that the server is running, and the address that DIR/kubeconfig gives");
  const plain = await startServer((_, response) => response.end("{}"));
  expect((await failure(plain.url.replace("http:", "https:"), {})).text).toContain("the server at this address does not use TLS");
  expect((await failure("https://does-not-exist.invalid", {})).text).toContain("check the name that DIR/kubeconfig gives");
});
