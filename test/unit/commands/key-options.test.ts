import { describe, expect, it } from "vitest";
import { parseChains, parseExpiry, parseExpiryOrNever, parseNetworks, parseOrigins } from "../../../runtime/commands/key-options.ts";

describe("key options", () => {
  it("accept a time with its offset, or a day in UTC, as the expiry", () => {
    expect(parseExpiry("2027-01-31T12:00:00+02:00")).toEqual(new Date("2027-01-31T10:00:00Z"));
    expect(parseExpiry("2028-02-29")).toEqual(new Date("2028-02-29T00:00:00Z"));
    expect(parseExpiryOrNever("never")).toBe("never");
    for (const text of ["never", "tomorrow", "2027-01-31T12:00:00", "2027-02-29", "2027-02-31T10:00:00Z", "2027-13-01", "1800000000"])
      expect(() => parseExpiry(text)).toThrow(`Invalid value "${text}" for --expires: expected a time such as 2027-01-31T12:00:00Z`);
  });

  it("collect a rule's values, and remove them for the value any", () => {
    expect(parseChains("31337", parseChains("demo"))).toEqual(["demo", "31337"]);
    expect(parseChains("any", ["demo"])).toEqual([]);
    expect(() => parseChains("Eth Mainnet")).toThrow("--allow-chain");
  });

  it("convert origins to the text that browsers send", () => {
    expect(parseOrigins("https://App.Example:443/")).toEqual(["https://app.example"]);
    expect(parseOrigins("http://localhost:3000")).toEqual(["http://localhost:3000"]);
    for (const text of ["app.example", "https://app.example/page", "https://user@app.example", "https://*.example/x", "null", "file:///"])
      expect(() => parseOrigins(text)).toThrow(`Invalid value "${text}" for --allow-origin`);
  });

  it("accept addresses and networks", () => {
    for (const text of ["192.0.2.7", "10.0.0.0/8", "2001:db8::/32", "::1"]) expect(parseNetworks(text)).toEqual([text]);
    for (const text of ["10.1", "10.0.0.0/33", "10.0.0.0/", "2001:db8::/129", "::ffff:10.0.0.0/104", "localhost", "10.0.0.0/8/8"])
      expect(() => parseNetworks(text)).toThrow(`Invalid value "${text}" for --allow-address`);
  });
});
