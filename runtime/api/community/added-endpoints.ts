import { communityObjects, communityOperations } from "../../../generated/community-items.gen.ts";
import { type Operation, operations } from "../../../generated/operations.gen.ts";
import {
  type ParseOutcome,
  parseGetCommunityBalances,
  parseGetCommunityMarketData,
  parseGetCommunityMarkets,
  parseGetCommunityTokens,
  parseGetCommunityTransactions,
} from "../../../generated/requests.gen.ts";
import type { Run } from "../../../generated/routes.gen.ts";
import type { AddedProtocol, DeclaredEndpoint } from "../../declarations/added-protocol.ts";
import { itemColumns } from "../../declarations/objects/item-columns.ts";
import type { RequestParameter } from "../../declarations/request-parameters.ts";
import type { Hex } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";
import { type CommunityRequest, pageOfOperation } from "./operation-rows.ts";
import type { ObjectFields } from "./view-item.ts";

/** An endpoint of an added protocol, with the parts that are generated for built-in ones. */
export interface AddedEndpoint {
  readonly operation: Operation;
  /** Creates its handler from the same parts as the generated routes. */
  readonly createHandler: <Handler>(run: Run<Handler, ResolverContext>) => Handler;
  /** The path of its template operation, which has the same parameters and, apart from the items, the same response. */
  readonly templatePath: string;
  readonly addedProtocol: AddedProtocol;
  /** The name of the operation. */
  readonly name: string;
}

interface AddedRequest extends CommunityRequest {
  readonly address?: Hex;
  readonly poolAddress?: Hex | null;
}

type Parse = (...sent: [...Parameters<typeof parseGetCommunityMarkets>]) => Promise<ParseOutcome<AddedRequest>>;

/** The template operations. The one with the same parameters as an added operation parses its requests and documents its parameters. */
const templates: readonly { readonly name: string; readonly parse: Parse }[] = [
  { name: "markets", parse: parseGetCommunityMarkets },
  { name: "market_data", parse: parseGetCommunityMarketData },
  { name: "balances", parse: parseGetCommunityBalances },
  { name: "transactions", parse: parseGetCommunityTransactions },
  { name: "tokens", parse: parseGetCommunityTokens },
];

/** The endpoints of added protocols. */
export const addedEndpoints = (protocols: readonly AddedProtocol[]): AddedEndpoint[] =>
  protocols.flatMap((protocol) => Object.entries(protocol.endpoints).map(([name, endpoint]) => addedEndpoint(protocol, name, endpoint)));

function addedEndpoint(addedProtocol: AddedProtocol, name: string, endpoint: DeclaredEndpoint): AddedEndpoint {
  const { id } = addedProtocol.protocol;
  const declared = Object.entries(addedProtocol.objects).map(([object, { fields }]) => [object, fields] as const);
  const objects: ObjectFields = { ...communityObjects, ...Object.fromEntries(declared) };
  const items = { object: endpoint.item, objects };
  const { template, parse } = templateOf(name, endpoint.parameters);
  const operation: Operation = {
    ...template,
    // Declared names contain no dots, so no other operation has this id.
    id: `community.${id}.${name}`,
    path: `/v1/cq/provider/app/${id}/${name}/`,
    protocol: id,
    row: null,
    status: "live",
    cost: endpoint.cost,
    csv: itemColumns((object) => objects[object] ?? [], endpoint.item).map((column) => ({ ...column, from: "row" })),
  };
  const resolve = async (request: AddedRequest, context: ResolverContext): Promise<object> => {
    const { address, poolAddress = null } = request;
    const scope = { operation: name, pool: poolAddress, items, ...(address === undefined ? {} : { wallet: address }) };
    return { ...(address === undefined ? {} : { address }), ...(await pageOfOperation(context, request, scope)) };
  };
  return {
    operation,
    createHandler: (run) => run<AddedRequest, object>(operation, (raw, parsers) => parse(raw, parsers, id), resolve),
    templatePath: template.path,
    addedProtocol,
    name,
  };
}

/** The template's operation of this name, otherwise one with the same parameters. @throws {TypeError} if the template has none. */
function templateOf(name: string, parameters: readonly RequestParameter[]): { readonly template: Operation; readonly parse: Parse } {
  const hasSameParameters = (other: string): boolean => {
    const sent = communityOperations[other]?.parameters ?? [];
    return sent.length === parameters.length && sent.every((parameter) => parameters.includes(parameter));
  };
  const similar = templates.find((other) => other.name === name) ?? templates.find((other) => hasSameParameters(other.name));
  const template = operations.find(({ handler }) => handler === communityOperations[similar?.name ?? ""]?.handler);
  if (similar === undefined || template === undefined) throw new TypeError(`The template has no operation with the parameters of ${name}.`);
  return { template, parse: similar.parse };
}
