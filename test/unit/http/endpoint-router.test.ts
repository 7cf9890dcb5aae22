import { describe, expect, it } from "vitest";
import { operations } from "../../../generated/operations.gen.ts";
import { type Run, registerRoutes } from "../../../generated/routes.gen.ts";
import { createEndpointRouter } from "../../../runtime/http/endpoint-router.ts";

const routerOf = (paths: readonly string[]) => {
  const router = createEndpointRouter<string>();
  for (const path of paths) router.get(path, path);
  return router;
};

describe("the endpoint router", () => {
  it("finds every generated route with its parameters, with and without the trailing slash", () => {
    const router = createEndpointRouter<string>();
    const run: Run<string, null> = ({ id }) => id;
    registerRoutes<string, null>(router, run, {} as never);
    for (const operation of operations) {
      const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
      // Values that are not literals in other paths.
      const path = operation.path.replaceAll(/\{(\w+)\}/g, "0-$1");
      const found = { handler: operation.id, parameters: Object.fromEntries(names.map((name) => [name, `0-${name}`])) };
      expect(router.find(path), path).toEqual(found);
      expect(router.find(path.slice(0, -1)), path).toEqual(found);
    }
  });

  it("tries a literal segment before a parameter, and then the parameter", () => {
    const router = routerOf(["/v1/:chain/nft/", "/v1/chains/status/", "/v1/:chain/:id/"]);
    expect(router.find("/v1/chains/status/")).toEqual({ handler: "/v1/chains/status/", parameters: {} });
    expect(router.find("/v1/chains/nft/")).toEqual({ handler: "/v1/:chain/nft/", parameters: { chain: "chains" } });
    expect(router.find("/v1/chains/other/")).toEqual({ handler: "/v1/:chain/:id/", parameters: { chain: "chains", id: "other" } });
  });

  it("finds nothing for empty, missing and additional segments, or a different case", () => {
    const router = routerOf(["/v1/chains/", "/v1/:chain/nft/"]);
    for (const path of ["/", "/v1/", "/v1//nft/", "//v1/chains/", "/v1/chains//", "/v1/Chains/", "/v1/demo/nft/1/", "/v1/demo/"]) {
      expect(router.find(path), path).toBeUndefined();
    }
  });

  it("decodes parameters; an encoded slash in them does not separate segments", () => {
    expect(routerOf(["/v1/:name/"]).find("/v1/a%2Fb%25/")?.parameters).toEqual({ name: "a/b%" });
  });

  it("uses a path's first handler", () => {
    const router = createEndpointRouter<number>();
    router.get("/v1/:a/", 1);
    router.get("/v1/:b/", 2);
    expect(router.find("/v1/x/")).toEqual({ handler: 1, parameters: { a: "x" } });
  });
});
