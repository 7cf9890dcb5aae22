import express from "express";
import type { Handlers } from "../../generated/handlers.gen.ts";
import type { Operation } from "../../generated/operations.gen.ts";
import type { ParseOutcome, RawRequest } from "../../generated/requests.gen.ts";
import { registerRoutes } from "../../generated/routes.gen.ts";
import { parseQuery, type Query } from "../../runtime/http/query.ts";
import { readTarget } from "../../runtime/http/request-target.ts";
import { bitcoinNetworks } from "../../runtime/lib/bitcoin/networks.ts";
import { createBitcoinParsers } from "../../runtime/parameters/bitcoin.ts";
import { createParsers } from "../../runtime/parameters/parsers.ts";
import type { RequestOutcome } from "../support/openapi-validator.ts";
import { chains, registeredName } from "./values.ts";

type RequestCode = (target: string) => Promise<RequestOutcome>;

const parsers = createParsers({
  chains,
  listItems: 1000,
  resolveName: async (_chain, name) => (name === registeredName ? "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" : null),
});

/** Those of the protocol of Bitcoin chains, as if all chains were on its local network. */
const bitcoinParsers = createBitcoinParsers(parsers, {
  chains: chains.map((chain) => ({ ...chain, network: bitcoinNetworks.regtest })),
  evmChains: [],
});

/** Creates a function that runs the request code: generated routes and parse functions with the strict parsers. */
export function createRequestCode(): RequestCode {
  const router = express.Router();
  registerRoutes<express.RequestHandler, null>(router, run, {} as Handlers<null>);

  return (target) =>
    new Promise((resolve, reject) => {
      const { path, query } = readTarget(target, new Map());
      const request = { method: "GET", url: path, query: parseQuery(query) } as unknown as express.Request;
      const response = { locals: { resolve } } as unknown as express.Response;
      router(request, response, (error: unknown) => {
        if (error === undefined) resolve({ accepted: false, status: 404, invalidParameters: [], message: "Not found" });
        else reject(error);
      });
    });
}

/** Replaces the server's request handler: parses the request and returns the result. */
function run<R>(
  operation: Operation,
  parse: (raw: RawRequest, requestParsers: typeof parsers) => Promise<ParseOutcome<R>>,
): express.RequestHandler {
  return async (request, response) => {
    const outcome = await parse(
      { path: request.params as Record<string, string>, query: request.query as Query },
      operation.protocol === "protocol_03" ? bitcoinParsers : parsers,
    );
    const { resolve } = response.locals as { readonly resolve: (outcome: RequestOutcome) => void };
    if (outcome.ok) resolve({ accepted: true, operation: operation.id });
    else
      resolve({ accepted: false, status: 400, invalidParameters: parametersOf(outcome.issues), message: JSON.stringify(outcome.issues) });
  };
}

function parametersOf(issues: readonly { readonly parameter: string }[]): readonly string[] {
  return [...new Set(issues.map(({ parameter }) => parameter))].sort();
}
