import { stdout } from "node:process";
import { type Capabilities, probeCapabilities } from "../chain/capabilities.ts";
import { describeCapabilities } from "../chain/describe-capabilities.ts";
import { RpcError } from "../chain/errors.ts";
import { createRpc, type Rpc } from "../chain/rpc.ts";
import { createSource } from "../chain/source.ts";
import { webSocketUrl } from "../chain/subscription.ts";
import { nodeUrl } from "../config/fields.ts";
import { accountingDescriptions, chooseAccounting } from "../indexer/session/accounting.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { doctorBitcoinNode } from "./doctor-bitcoin.ts";
import { invalidValue } from "./option-values.ts";
import { renderCapabilities } from "./render-capabilities.ts";

export interface DoctorOptions {
  /** The node's WebSocket URL, if it differs from the HTTP one. */
  readonly webSocket?: string | undefined;
  /** The first block that would be indexed. */
  readonly from?: number | undefined;
  readonly print?: (line: string) => void;
}

const checkedBlocks = 10;

/** `ashlar doctor`: prints a node's capabilities and their consequences as a table. Returns the exit status: 1 if the node cannot be used. */
export async function doctor(address: string, { webSocket, from = 0, print = printLine }: DoctorOptions = {}): Promise<number> {
  const parsed = nodeUrl.safeParse(address);
  if (!parsed.success) {
    print(`Invalid value for --rpc: expected ${parsed.error.issues[0]?.message ?? "a URL"}.`);
    return 1;
  }
  const url = parsed.data;
  const rpc = createRpc({ url, retries: 2, timeoutMilliseconds: 15_000 });
  try {
    const nodeHead = from === 0 ? null : Number(await rpc.request("eth_blockNumber", []));
    if (nodeHead !== null && from > nodeHead) {
      print(invalidValue("--from", from, `at most ${nodeHead}, the node's head`).message);
      return 1;
    }
    const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: webSocketUrl(url, webSocket) });
    const source = createSource(rpc, capabilities, { readsTraces: capabilities.traceKind !== null, attempts: 2 });
    const [chainId, head] = await Promise.all([source.chainId(), source.head()]);
    print(`The node at ${new URL(url).host} serves chain ${chainId} (${await versionOf(rpc)}); its head is block ${head.number}.`);
    print("");
    for (const line of renderCapabilities(describeCapabilities(capabilities))) print(line);
    print("");
    print(`Native balances of a new index: ${describeAccounting(capabilities)}.`);
    print("");
    const start = performance.now();
    const blocks = await source.fetchBlocks(Math.max(0, head.number - checkedBlocks + 1), head.number);
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    const milliseconds = Math.round(performance.now() - start);
    print(`The node's last ${blocks.length} blocks (${transactions} transactions) are consistent; fetched in ${milliseconds} ms.`);
    print(
      "Checked: parent hashes, indexes of transactions, receipts and logs, logs blooms and gas used. Not checked: block hashes and state, transaction and receipt roots.",
    );
    return 0;
  } catch (error) {
    // A Bitcoin node has none of an EVM node's methods.
    const status = error instanceof RpcError ? await doctorBitcoinNode(url, from, print) : null;
    if (status !== null) return status;
    print(`This node cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await rpc.close();
  }
}

/** Describes the result of each native accounting that can be configured for this node. */
function describeAccounting(capabilities: Capabilities): string {
  const past = capabilities.hasArchiveState ? "" : ", unknown for blocks whose state the node does not have";
  const byState = `${accountingDescriptions.state}${past} (nativeAccounting: state, the default)`;
  return chooseAccounting("traces", capabilities) === "traces"
    ? `${byState}, or ${accountingDescriptions.traces} (nativeAccounting: traces, for chains on which value moves in no other way)`
    : byState;
}

function printLine(line: string): void {
  stdout.write(`${escapeTerminal(line)}\n`);
}

/** The client version that the node reports, in printable ASCII and at most 80 characters: it is untrusted. */
async function versionOf(rpc: Rpc): Promise<string> {
  const version = await rpc.request("web3_clientVersion", []).catch(() => null);
  return typeof version === "string" ? version.replace(/[^\x20-\x7e]/g, "").slice(0, 80) : "reports no version";
}
