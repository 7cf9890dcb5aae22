import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { renderLogs } from "../../../runtime/commands/community/render-logs.ts";
import { renderResult } from "../../../runtime/commands/community/test.ts";
import { fixedContracts } from "../../../runtime/domains/community/contracts-on-chain.ts";
import { protocolLogs } from "../../../runtime/domains/community/queries/emitted-logs.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { eventOf, tableOf } from "../../support/declared-protocol.ts";
import { type IndexedSavings, indexSavings } from "./indexed-savings.ts";

let savings: IndexedSavings;

beforeAll(async () => {
  savings = await indexSavings();
});
afterEach(() => savings.directory.reset());
afterAll(() => savings?.end());

describe("declared events without a matching log", () => {
  const declared = "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)";
  // keccak256 of Deposit(address,address,uint256,uint256), EIP-4626.
  const topic = "0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7";
  const withdrawTopic = "0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db";

  // The vaults emitted 12 Deposit and 12 Transfer logs, and nothing else.
  it.each([
    [
      "a type",
      declared.replace("uint256 shares", "uint128 shares"),
      [
        "  no logs     deposits: none of the 24 logs of vault is Deposit(address,address,uint256,uint128)",
        `  undeclared  12 logs of vault with topic ${topic}, Deposit(address,address,uint256,uint256), and 2 indexed parameters`,
      ],
    ],
    [
      "a name",
      declared.replace("Deposit", "Deposited"),
      [
        "  no logs     deposits: none of the 24 logs of vault is Deposited(address,address,uint256,uint256)",
        `  undeclared  12 logs of vault with topic ${topic}, Deposit(address,address,uint256,uint256), and 2 indexed parameters`,
      ],
    ],
    [
      "its indexed parameters",
      declared.replace("indexed owner", "owner"),
      [
        "  no logs     deposits: 12 logs of vault are Deposit(address,address,uint256,uint256) with 2 indexed parameters, not 1",
        "  skipped     12 logs of deposits: Expected 2 topics, found 3",
      ],
    ],
  ])("are listed with the events that the contracts emitted instead, if a signature differs in %s", async (_case, signature, lines) => {
    savings.directory.edit("protocol.yaml", declared, signature);
    const result = await savings.tryDirectory();
    expect(result.logDifferences).toEqual(lines);
    expect(renderResult(result, "test").slice(-lines.length)).toEqual(lines);
  });

  it("are listed if their logs precede the first block of the contracts, or if there is no contract", async () => {
    savings.directory.edit("protocol.yaml", "from: 0 }", "from: 1000000 }");
    savings.directory.edit(
      "protocol.yaml",
      "tables:\n",
      "  pool: { discoveredBy: [{ contract: vault, event: 'Opened(address pool)', address: pool }] }\ntables:\n",
    );
    const edited = readFileSync(join(savings.directory.path, "savings/protocol.yaml"), "utf8");
    savings.directory.write(
      "protocol.yaml",
      edited
        .replaceAll("from: 0 }", "from: 1000000 }")
        .replace('contract: vault\n    events: ["Transfer', 'contract: pool\n    events: ["Transfer'),
    );
    expect((await savings.tryDirectory()).logDifferences).toEqual([
      "  no logs     contracts of pool: none of the 24 logs of vault is Opened(address)",
      "  no logs     deposits: 12 logs of vault precede the first block of their contracts",
      "  no logs     share_transfers: no contract of kind pool is known",
    ]);
  });

  it("are not listed if the declaration matches the contracts", async () => {
    expect((await savings.tryDirectory()).logDifferences).toEqual([]);
  });

  it("are determined from at most 100 contracts of a kind, including contracts at fixed addresses", async () => {
    const { protocol } = savings.addedProtocol();
    const addresses = Array.from({ length: 101 }, (_, position): Address => `0x${(position + 1).toString(16).padStart(40, "0")}`);
    const sampleOf = async (count: number) => {
      const fixed = new Map([["vault", new Map(addresses.slice(0, count).map((address) => [address, 0] as const))]]);
      const { emitted } = await protocolLogs(savings.testDatabase.database, 31337, protocol, fixed);
      return emitted.map(({ contractCount, isSample }) => ({ contractCount, isSample }));
    };
    expect(await sampleOf(101)).toEqual([{ contractCount: 100, isSample: true }]);
    expect((await sampleOf(2)).every(({ isSample }) => !isSample)).toBe(true);
  });

  it("are listed by ashlar community status", async () => {
    const { protocol } = savings.addedProtocol();
    const event = eventOf(
      "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    );
    expect(event.topic0).toBe(withdrawTopic);
    const more = { ...protocol, tables: [...protocol.tables, { ...tableOf("withdrawals", "vault", [event.text]) }] };
    const logs = await protocolLogs(
      savings.testDatabase.database,
      31337,
      protocol,
      fixedContracts(protocol, { name: "test", community: {} }),
    );
    expect(renderLogs(more, logs)).toEqual([
      "  no logs     withdrawals: none of the 24 logs of vault is Withdraw(address,address,address,uint256,uint256)",
    ]);
  });
});
