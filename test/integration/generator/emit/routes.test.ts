import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { operations } from "../../../../generated/operations.gen.ts";
import { type Run, registerRoutes } from "../../../../generated/routes.gen.ts";

type Handle = (request: express.Request, response: express.Response) => void;

function createRecordingApp() {
  const paths: string[] = [];
  const router = express.Router();
  const run: Run<Handle, null> = (operation, _parse, handler) => (_request, response) => {
    response.json({ id: operation.id, hasHandler: handler !== undefined });
  };
  const recording = {
    get: (path: string, handle: Handle) => {
      paths.push(path);
      return router.get(path, handle);
    },
  };
  const live = Object.fromEntries(operations.filter(({ status }) => status === "live").map(({ handler }) => [handler, async () => null]));
  registerRoutes<Handle, null>(recording, run, live as never);
  return { server: express().use(router), paths };
}

/** Fills in a path's parameters with values that match no literal of another path. */
const filledPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, "0-$1");

describe("generated routes", () => {
  it("register every operation once", () => {
    const { paths } = createRecordingApp();
    expect(paths).toHaveLength(operations.length);
    expect(new Set(paths).size).toBe(operations.length);
  });

  it("route every path to its operation in Express, with and without the trailing slash", async () => {
    const { server } = createRecordingApp();
    for (const operation of operations) {
      const path = filledPath(operation.path);
      expect((await request(server).get(path)).body, path).toEqual({ id: operation.id, hasHandler: operation.status === "live" });
      expect((await request(server).get(path.slice(0, -1))).body.id, path).toBe(operation.id);
    }
  });

  it.each([
    // Literals that another path's parameter could match.
    ["/v1/demo/nft/approvals/metadata/", "getNftApprovals"],
    ["/v1/demo/nft/collections/", "getChainCollections"],
    ["/v1/chains/status/", "getAllChainStatus"],
    ["/v1/xy=k/supported_dexes/", "getSupportedDexes"],
    ["/v1/demo/block_v2/2026-01-01/latest/", "getBlockHeights"],
    ["/v1/demo/xy=k/tokens/address/0x1/pools/page/0/", "getPoolsForTokenAddress"],
    ["/v1/demo/xy=k/some_dex/tokens/address/0x1/view/", "getLpTokenView"],
    ["/v1/address/0x1/activity/", "getAddressActivity"],
  ])("route %s to %s", async (path, id) => {
    expect((await request(createRecordingApp().server).get(path)).body.id).toBe(id);
  });
});
