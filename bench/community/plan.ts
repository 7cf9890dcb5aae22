import { parseEvent } from "../../runtime/declarations/abi/signature.ts";
import type { EventParameter, EventSignature, Protocol } from "../../runtime/declarations/protocol.ts";
import type { ConfiguredContracts } from "../../runtime/domains/community/contracts-on-chain.ts";
import type { Row } from "../../runtime/indexer/projection.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { hexOf } from "../support/random.ts";

/** A decoded value of an event or result: integers as bigint, addresses and bytes as hex. */
export type Value = bigint | boolean | string | readonly Value[];

/** What an event's values are generated from. */
export interface Draw {
  /** The protocol's market number. */
  readonly market: number;
  /** The account in the event. */
  readonly wallet: Address;
  /** Another account. */
  readonly other: Address;
  readonly amount: bigint;
  /** The number of the event in the story, which grows with time. */
  readonly step: number;
  /** The market's contract of a kind. */
  readonly contractOf: (kind: string) => Address;
}

/** What a read's results are generated from. */
export interface ReadDraw extends Pick<Draw, "market" | "step" | "contractOf"> {
  /** The values of arguments that vary, by name. */
  readonly arguments: Row;
}

/** How a protocol's events are generated, where that differs from the default: one market per contract of each kind, and values by type. */
export interface ProtocolPlan {
  /** The number of markets: reserves, vaults or pools. */
  readonly markets: number;
  /** Kinds with one contract for all markets. */
  readonly shared?: readonly string[];
  /** Kinds of contracts that the protocol does not declare and that emit additional events. */
  readonly undeclared?: readonly string[];
  /** The kind whose addresses are sent as pool addresses in requests. */
  readonly pools?: string;
  /** Tables whose events never occur. */
  readonly omittedTables?: readonly string[];
  /** The number of the event variant that is generated, by table; 0 by default. */
  readonly variants?: Readonly<Record<string, number>>;
  /** Events for which the protocol has no table, such as share transfers. Their names are used like table names. */
  readonly undeclaredEvents?: readonly { readonly name: string; readonly contract: string; readonly event: EventSignature }[];
  /** The relative frequency of a table's events, 1 by default; with 0, they occur only among a market's first events. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Values by parameter, or by table and parameter, such as `transfers.from`. */
  readonly parameters?: Readonly<Record<string, (draw: Draw) => Value>>;
  /** Values by column of a read's results, or by read and column. */
  readonly results?: Readonly<Record<string, (draw: ReadDraw) => Value | null>>;
}

/** A kind of event in a protocol. */
export interface PlannedEvent {
  readonly event: EventSignature;
  /** Whether the protocol has a table for it. */
  readonly isDeclared: boolean;
  readonly weight: number;
  readonly emitter: (market: number) => Address;
  readonly values: (draw: Omit<Draw, "contractOf">) => readonly Value[];
}

/** A protocol on the generated chain. */
export interface PlannedProtocol {
  readonly protocol: Protocol;
  readonly plan: ProtocolPlan;
  readonly contracts: ConfiguredContracts[string];
  readonly contractOf: (kind: string, market: number) => Address;
  /** In the order of the tables, one variant of each. */
  readonly events: readonly PlannedEvent[];
}

/** Parses an event signature. @throws {TypeError} if it is invalid. */
export const eventOf = (text: string): EventSignature => {
  const parsed = parseEvent(text);
  if (!parsed.ok) throw new TypeError(parsed.problem);
  return parsed.value;
};

/** An account that holds large amounts in each market from the first blocks on and transfers some of them to wallets. */
export const keeper: Address = hexOf(57, 1, 5);

/** A market's token, the same in all protocols. */
export const assetOf = (market: number): Address => hexOf(61, market, 5);

/** Returns a market's contract of a kind. */
const contractOf = (protocol: Protocol, { undeclared = [] }: ProtocolPlan, kind: string, market: number): Address =>
  hexOf(62 + 64 * numberOf(protocol) + [...Object.keys(protocol.contracts), ...undeclared].indexOf(kind), market, 5);

const numberOf = ({ id }: Protocol): number => Number(id.replace(/\D/g, ""));

/** Plans the events of a protocol. */
export function planProtocol(protocol: Protocol, plan: ProtocolPlan): PlannedProtocol {
  const isShared = (kind: string): boolean => plan.shared?.includes(kind) === true;
  const emitterOf = (kind: string) => (market: number) => contractOf(protocol, plan, kind, isShared(kind) ? 0 : market);
  const contracts = Object.keys(protocol.contracts).map((kind) => {
    const count = isShared(kind) ? 1 : plan.markets;
    return [kind, Array.from({ length: count }, (_, market) => emitterOf(kind)(market))] as const;
  });
  const tables = protocol.tables.filter(({ name }) => !plan.omittedTables?.includes(name));
  const kinds = [
    ...tables.flatMap(({ name, contract, events: variants }) => {
      const variant = plan.variants?.[name] ?? 0;
      return variants.slice(variant, variant + 1).map((event) => ({ name, contract, event, isDeclared: true }));
    }),
    ...(plan.undeclaredEvents ?? []).map((event) => ({ ...event, isDeclared: false })),
  ];
  const events = kinds.map(({ name, contract, event, isDeclared }): PlannedEvent => {
    const accounts = event.parameters.filter(({ type }) => type === "address").map((parameter) => parameter.name);
    const valueIn = (parameter: EventParameter, draw: Draw): Value => {
      const own = plan.parameters?.[`${name}.${parameter.name}`] ?? plan.parameters?.[parameter.name];
      return own?.(draw) ?? defaultValue(parameter.type, accounts.indexOf(parameter.name) === 0 ? draw.wallet : draw.other, draw.amount);
    };
    return {
      event,
      isDeclared,
      weight: plan.weights?.[name] ?? 1,
      emitter: emitterOf(contract),
      values: (draw) =>
        event.parameters.map((parameter) => valueIn(parameter, { ...draw, contractOf: (kind) => emitterOf(kind)(draw.market) })),
    };
  });
  return { protocol, plan, contracts: Object.fromEntries(contracts), contractOf: (kind, market) => emitterOf(kind)(market), events };
}

/** The default value of a type. */
export function defaultValue(type: string, account: Address, amount: bigint): Value {
  if (type.endsWith("]")) return [0n, 1n].map((number) => defaultValue(type.replace(/\[\d*\]$/, ""), account, amount + number));
  if (type === "address") return account;
  if (type === "bool") return true;
  if (type === "string") return "Bench";
  if (/^bytes\d*$/.test(type)) return `0x${account.slice(2).padEnd(2 * Number(type.slice(5) || 20), "0")}`;
  const bits = Number(type.replace(/\D/g, "")) - (type.startsWith("u") ? 0 : 1);
  return BigInt.asUintN(Math.min(bits, 128), amount);
}

/** Maps the protocol's contract addresses to their market numbers. */
export const marketsByContract = ({ contracts }: PlannedProtocol): ReadonlyMap<string, number> =>
  new Map(Object.values(contracts).flatMap((addresses) => addresses.map((address, market) => [address, market] as const)));
