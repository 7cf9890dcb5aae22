import type { Handlers } from "../../generated/handlers.gen.ts";
import type { Operation } from "../../generated/operations.gen.ts";
import type { ParseOutcome, RawRequest } from "../../generated/requests.gen.ts";
import { registerRoutes } from "../../generated/routes.gen.ts";
import { createEndpointRouter } from "../../runtime/http/endpoint-router.ts";
import { parseQuery } from "../../runtime/http/query.ts";
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

/** The parsers of the Bitcoin protocol, as if all chains were on Bitcoin's local network. */
const bitcoinParsers = createBitcoinParsers(parsers, {
  chains: chains.map((chain) => ({ ...chain, network: bitcoinNetworks.regtest })),
  evmChains: [],
});

type Handler = (raw: RawRequest) => Promise<RequestOutcome>;

/** Creates a function that runs the request code: the generated routes and parse functions, with the strict parsers. */
export function createRequestCode(): RequestCode {
  const router = createEndpointRouter<Handler>();
  registerRoutes<Handler, null>(router, run, {} as Handlers<null>);

  return async (target) => {
    const { path, query } = readTarget(target, new Map());
    const found = router.find(path);
    return found === undefined
      ? { accepted: false, status: 404, invalidParameters: [], message: "Not found" }
      : found.handler({ path: found.parameters, query: parseQuery(query) });
  };
}

/** Replaces the server's request handler with one that only parses the request and returns the outcome. */
function run<R>(operation: Operation, parse: (raw: RawRequest, requestParsers: typeof parsers) => Promise<ParseOutcome<R>>): Handler {
  return async (raw) => {
    const outcome = await parse(raw, operation.protocol === "protocol_03" ? bitcoinParsers : parsers);
    return outcome.ok
      ? { accepted: true, operation: operation.id }
      : { accepted: false, status: 400, invalidParameters: parametersOf(outcome.issues), message: JSON.stringify(outcome.issues) };
  };
}

function parametersOf(issues: readonly { readonly parameter: string }[]): readonly string[] {
  return [...new Set(issues.map(({ parameter }) => parameter))].sort();
}
