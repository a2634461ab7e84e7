import { describe, expect, test } from "vitest";
import { isConfigError } from "./config-error.ts";
import { environmentProxy } from "./environment-proxy.ts";

const HTTPS_PROXY = "http://proxy:3128";

describe("the proxy of the environment", () => {
  test.for([
    { name: "is undefined without variables", env: {}, want: undefined },
    { name: "is HTTPS_PROXY for an https server", env: { HTTPS_PROXY, HTTP_PROXY: "http://other" }, want: HTTPS_PROXY },
    { name: "may be named in lower case", env: { https_proxy: HTTPS_PROXY }, want: HTTPS_PROXY },
    { name: "is that of the upper case name", env: { https_proxy: "http://other", HTTPS_PROXY }, want: HTTPS_PROXY },
    { name: "is not HTTP_PROXY for an https server", env: { HTTP_PROXY: HTTPS_PROXY, ALL_PROXY: HTTPS_PROXY }, want: undefined },
    { name: "is HTTP_PROXY for an http server", server: "http://api:8080", env: { HTTP_PROXY: HTTPS_PROXY }, want: HTTPS_PROXY },
    { name: "may lack the scheme", env: { HTTPS_PROXY: "proxy:3128" }, want: "http://proxy:3128" },
    { name: "may have a password", env: { HTTPS_PROXY: "http://me:pass@proxy" }, want: "http://me:pass@proxy" },
    { name: "may be a SOCKS proxy", env: { HTTPS_PROXY: "socks5://proxy:1080" }, want: "socks5://proxy:1080" },
    { name: "is undefined for a blank variable", env: { HTTPS_PROXY: " " }, want: undefined },
    { name: "is undefined for localhost", server: "https://localhost:6443", env: { HTTPS_PROXY }, want: undefined },
    { name: "is undefined for loopback", server: "https://127.8.0.1:6443", env: { HTTPS_PROXY }, want: undefined },
    { name: "is undefined for loopback (IPv6)", server: "https://[::1]:6443", env: { HTTPS_PROXY }, want: undefined },
  ])("$name", ({ server = "https://api.example.com:6443", env, want }) => {
    expect(environmentProxy(server, env)).toBe(want);
  });

  test.for([
    { entry: "*", host: "api.example.com", isDirect: true },
    { entry: "example.com", host: "api.example.com", isDirect: true },
    { entry: "example.com", host: "example.com", isDirect: true },
    { entry: "example.com", host: "notexample.com", isDirect: false },
    { entry: ".example.com", host: "api.example.com", isDirect: true },
    { entry: ".example.com", host: "example.com", isDirect: false },
    { entry: "*.example.com", host: "api.example.com", isDirect: true },
    { entry: "*.example.com", host: "example.com", isDirect: false },
    { entry: "EXAMPLE.com", host: "API.example.COM", isDirect: true },
    { entry: "example.com:6443", host: "api.example.com", isDirect: true },
    { entry: "example.com:443", host: "api.example.com", isDirect: false },
    { entry: "10.0.0.0/8", host: "10.96.0.1", isDirect: true },
    { entry: "10.0.0.0/8", host: "11.96.0.1", isDirect: false },
    { entry: "10.0.0.0/8", host: "api.example.com", isDirect: false },
    { entry: "10.96.0.1", host: "10.96.0.1", isDirect: true },
    { entry: "10.96.0.1:6443", host: "10.96.0.1", isDirect: true },
    { entry: "10.96.0.1:443", host: "10.96.0.1", isDirect: false },
    { entry: "fd00::/8", host: "[fd00::1]", isDirect: true },
    { entry: "fd00::1", host: "[fd00:0::1]", isDirect: true },
    { entry: "[fd00::1]:6443", host: "[fd00::1]", isDirect: true },
    { entry: "fd00::/200", host: "[fd00::1]", isDirect: false },
    { entry: "10.0.0.0/x, , :80, example.org", host: "api.example.com", isDirect: false },
    { entry: "other.com, example.com", host: "api.example.com", isDirect: true },
  ])("with NO_PROXY=$entry for $host is direct: $isDirect", ({ entry, host, isDirect }) => {
    expect(environmentProxy(`https://${host}:6443`, { HTTPS_PROXY, NO_PROXY: entry })).toBe(isDirect ? undefined : HTTPS_PROXY);
  });

  test.for(["ftp://hunter2@proxy", "http://", "http://me:hunter2@:x"])("%s as the proxy is an error without its password", (given) => {
    const failure = (): unknown => {
      try {
        return environmentProxy("https://api", { HTTPS_PROXY: given });
      } catch (error) {
        return error;
      }
    };
    expect(failure()).toSatisfy(isConfigError);
    expect(String(failure())).toContain("HTTPS_PROXY");
    expect(String(failure())).not.toContain("hunter2");
  });
});
