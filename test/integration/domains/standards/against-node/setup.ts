import { approvalsProjection } from "../../../../../runtime/domains/approvals/projection/index.ts";
import { nftProjection } from "../../../../../runtime/domains/nft/projection.ts";
import { tokensProjection } from "../../../../../runtime/domains/tokens/projection/index.ts";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { type Artifact, artifacts, encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../../support/rpc-proxy.ts";
import { nonstandardContracts } from "../contracts.ts";

/** The projections that store standards, or depend on them. */
export const projections = [tokensProjection, nftProjection, approvalsProjection];
/** One token with 18 decimals. */
export const unit = 10n ** 18n;
/** ERC-20 contracts whose logs have a non-standard format. */
export const coins = ["Appending", "AllIndexed", "NoneIndexed", "IndexedApproval"] as const;

/** The test chain. */
export let chain: TestChain;
/** The proxy between the index and the node. */
export let proxy: RpcProxy;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The test accounts. */
export let [alice, carol]: [Address, Address] = ["0x", "0x"];
let bob: Address;
/** The contracts by name. */
export const addresses: Record<string, Address> = {};

/** The address of a contract. */
export const addressOf = (name: string): Address => {
  const address = addresses[name];
  if (address === undefined) throw new Error(`Contract ${name} is not deployed`);
  return address;
};
/** The name of a contract. */
export const nameOf = (address: Address): string | undefined => Object.keys(addresses).find((name) => addresses[name] === address);
/** A transaction that calls a contract by its name. */
export const callToken = (
  name: string,
  from: Address,
  functionName: string,
  args: readonly unknown[],
  artifact: Artifact = nonstandardContracts(name),
) => ({
  from,
  ...encodeCall(artifact, addressOf(name), functionName, args),
});

/** Indexes the chain to its head. */
export const index = async (database = testDatabase.database, url = proxy.url) => {
  const running = await createTestIndexer(url, database, { projections });
  await running.runToHead(await chain.head());
  await running.close();
  return running;
};
/** Each contract's standards in an index. */
export const standardsOf = async (database = testDatabase.database): Promise<Record<string, number[]>> => {
  const rows = await database.query<{ address: Address; standard: number }>(
    "SELECT address, standard FROM token_standards ORDER BY address, standard",
  );
  const byName: Record<string, number[]> = {};
  for (const { address, standard } of rows) {
    const name = nameOf(address) ?? address;
    byName[name] = [...(byName[name] ?? []), standard];
  }
  return byName;
};

/** Deploys contracts with non-standard logs, uses them and indexes the chain. */
export const setUp = async () => {
  chain = await startTestChain();
  [alice, bob, carol] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  for (const name of [...coins, "Kitties", "EventsOnly", "Switchable", "Greedy", "Treasury"])
    addresses[name] = await chain.deploy(nonstandardContracts(name));
  addresses.hybrid = await chain.deploy(nonstandardContracts("Hybrid"), [false]);
  addresses.hybridWithOwnEventName = await chain.deploy(nonstandardContracts("Hybrid"), [true]);
  addresses.cards = await chain.deploy(artifacts.erc721(), ["Cards", "CARD", "ipfs://"]);
  const hybrid = nonstandardContracts("Hybrid");
  await chain.send(
    ...coins.map((name) => callToken(name, alice, "mint", [alice, 1_000n])),
    callToken("Kitties", alice, "mint", [alice, 1n]),
    callToken("Kitties", alice, "mint", [alice, 2n]),
    callToken("EventsOnly", alice, "emitTransfer", [zeroAddress, alice, 5n]),
    callToken("Switchable", alice, "emitTransfer", [alice, 7n]),
    callToken("Treasury", alice, "pay", [addressOf("AllIndexed"), alice, 7n]),
    callToken("Greedy", alice, "emitTransfer", [alice, 9n]),
    // After the hybrid's first indexed transaction, no id has an owner.
    callToken("hybrid", alice, "flash", [bob], hybrid),
    callToken("hybridWithOwnEventName", alice, "mint", [alice, 3n * unit], hybrid),
    encodeCall(artifacts.erc721(), addressOf("cards"), "mint", [alice]),
  );
  await chain.mine();
  await chain.send(
    ...coins.flatMap((name) => [callToken(name, alice, "transfer", [bob, 300n]), callToken(name, alice, "approve", [carol, 40n])]),
    callToken("Kitties", alice, "transfer", [bob, 2n]),
    callToken("hybrid", alice, "mint", [alice, 5n * unit + 1n], hybrid),
    callToken("hybridWithOwnEventName", alice, "send", [bob, 1n], hybrid),
    callToken("Switchable", alice, "change", []),
  );
  await chain.mine();
  await chain.send(
    ...coins.flatMap((name) => [callToken(name, bob, "transfer", [carol, 100n]), callToken(name, bob, "burn", [50n])]),
    callToken("Kitties", bob, "transfer", [carol, 2n]),
    callToken("hybrid", alice, "send", [carol, 2n], hybrid),
    callToken("Switchable", alice, "emitTransfer", [alice, 8n]),
  );
  await chain.mine();
  testDatabase = await createTestDatabase();
  proxy = await startRpcProxy(chain.url);
  await index();
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await proxy?.close();
  await testDatabase?.drop();
  await chain?.stop();
};
