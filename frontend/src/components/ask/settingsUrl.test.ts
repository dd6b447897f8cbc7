import { expect, it } from "vitest";
import { withParams } from "@/components/kit/url";
import { settingsOfUrl, urlOfSettings } from "./settingsUrl";

it("keeps settings in the address, and only those that stand", () => {
  const before = new URLSearchParams("q=x&set-beam=3&set-policy=text");
  expect(settingsOfUrl(before)).toEqual({ beam: "3", policy: "text" });
  const after = withParams(before, urlOfSettings(before, { beam: "8", steps: " " }));
  expect(after.toString()).toBe("q=x&set-beam=8");
});
