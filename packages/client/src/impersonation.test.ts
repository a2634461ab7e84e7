import { expect, test } from "vitest";
import { impersonating } from "./impersonation.ts";

const now = { renew: false };

test("an impersonation replaces that of the credentials", async () => {
  const source = () => ({ ca: "ca", headers: { authorization: "Bearer t", "impersonate-user": "joe", "impersonate-group": ["old"] } });
  const as = { user: "jane", groups: ["a", "b"], uid: "7", extra: { "example.dev/Team (x)": ["one", "two"], none: [] } };
  expect(await impersonating(source, as)(now)).toEqual({
    ca: "ca",
    headers: {
      authorization: "Bearer t",
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-example.dev%2FTeam%20%28x%29": ["one", "two"],
    },
  });
  expect((await impersonating(source, { user: "jane" })(now)).headers).toEqual({ authorization: "Bearer t", "impersonate-user": "jane" });
});

test("an impersonation of an empty user name is refused", () => {
  for (const user of ["", undefined, 7]) expect(() => impersonating(() => ({}), { user } as never)).toThrow(TypeError);
});
