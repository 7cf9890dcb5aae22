import { describe, expect, it } from "vitest";
import { selectCoding } from "../../../runtime/http/compression/accept-encoding.ts";

const available = ["zstd", "br", "gzip"] as const;
const codingFor = (header: string | undefined) => selectCoding(header, available).coding;

describe("a response's coding", () => {
  it("is none without the header, or if the client accepts no coding that the server has", () => {
    for (const header of [undefined, "", "identity", "deflate, compress", ",;,", "gzip;q=0"]) expect(codingFor(header)).toBeNull();
  });

  it("is the server's preference among codings with the same weight", () => {
    expect(codingFor("gzip, deflate, br, zstd")).toBe("zstd");
    expect(codingFor("gzip, deflate, br")).toBe("br");
    expect(codingFor("gzip")).toBe("gzip");
    expect(selectCoding("gzip, br, zstd", ["br", "gzip"]).coding).toBe("br");
  });

  it("has the highest weight that the client accepts", () => {
    expect(codingFor("br;q=0.5, gzip;q=0.8")).toBe("gzip");
    expect(codingFor("br;q=0.5, gzip;q=0.8, zstd;q=0.801")).toBe("zstd");
    expect(codingFor("BR ; Q=1.000")).toBe("br");
    expect(codingFor("x-gzip")).toBe("gzip");
  });

  it("may be one that matches *, but not one that is excluded by name", () => {
    expect(codingFor("*")).toBe("zstd");
    expect(codingFor("*, zstd;q=0, br;q=0")).toBe("gzip");
    expect(codingFor("gzip, *;q=0")).toBe("gzip");
    expect(codingFor("*;q=0")).toBeNull();
  });

  it("is none if the client prefers identity", () => {
    expect(codingFor("identity, gzip;q=0.9")).toBeNull();
    expect(codingFor("identity;q=0.5, gzip;q=0.9")).toBe("gzip");
    expect(codingFor("identity, gzip")).toBe("gzip");
  });

  it("ignores elements with an invalid weight", () => {
    for (const weight of ["2", "-1", "x", "0.1234", "1.001", ""]) expect(codingFor(`br;q=${weight}, gzip;q=0.1`)).toBe("gzip");
  });
});

describe("identity", () => {
  it("is accepted unless it is excluded, by name or by *", () => {
    for (const header of [undefined, "gzip", "gzip;q=1, *;q=0.5", "*;q=0, identity", "identity;q=0.001"])
      expect(selectCoding(header, available).acceptsIdentity).toBe(true);
    for (const header of ["identity;q=0", "gzip, identity;q=0.0", "gzip, *;q=0"])
      expect(selectCoding(header, available).acceptsIdentity).toBe(false);
  });
});
