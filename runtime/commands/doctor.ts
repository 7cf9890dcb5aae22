import { stdout } from "node:process";
import { type Capabilities, probeCapabilities } from "../chain/capabilities.ts";
import { type Finding, findingsOf } from "../chain/findings.ts";
import { createRpc, type Rpc } from "../chain/rpc.ts";
import { createSource } from "../chain/source.ts";
import { webSocketUrl } from "../chain/subscription.ts";
import { nodeUrl } from "../config/fields.ts";
import { accountingDescriptions, chooseAccounting } from "../indexer/session/accounting.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { invalidValue } from "./option-values.ts";

export interface DoctorOptions {
  /** Where the node's websocket is, when it is not at the address of its HTTP. */
  readonly webSocket?: string | undefined;
  /** The first block that would be indexed. */
  readonly from?: number | undefined;
  readonly say?: (line: string) => void;
}

const blocksLookedAt = 10;

/** `ashlar doctor`: what a node offers and what follows from it, as a table. The exit code is 1 where the node cannot be indexed from. */
export async function doctor(address: string, { webSocket, from = 0, say = sayLine }: DoctorOptions = {}): Promise<number> {
  const parsed = nodeUrl.safeParse(address);
  if (!parsed.success) {
    say(`Invalid value for --rpc: expected ${parsed.error.issues[0]?.message}.`);
    return 1;
  }
  const url = parsed.data;
  const rpc = createRpc({ url, retries: 2, timeoutMilliseconds: 15_000 });
  try {
    const reported = from === 0 ? null : Number(await rpc.request("eth_blockNumber", []));
    if (reported !== null && from > reported) {
      say(invalidValue("--from", from, `at most ${reported}, the head of the node`).message);
      return 1;
    }
    const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: webSocketUrl(url, webSocket) });
    const source = createSource(rpc, capabilities, { tracing: capabilities.traces !== null, tries: 2 });
    const [chainId, head] = await Promise.all([source.chainId(), source.head()]);
    say(`The node at ${new URL(url).host} is of chain ${chainId} (${await versionOf(rpc)}); its head is block ${head.number}.`);
    say("");
    for (const line of renderTable(findingsOf(capabilities))) say(line);
    say("");
    say(`Native balances of a new index: ${nativeWords(capabilities)}.`);
    say("");
    const begin = performance.now();
    const blocks = await source.fetch(Math.max(0, head.number - blocksLookedAt + 1), head.number);
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    const milliseconds = Math.round(performance.now() - begin);
    say(`Its last ${blocks.length} blocks (${transactions} transactions) are consistent; fetched in ${milliseconds} ms.`);
    say(
      "Compared were parents' hashes, the places of transactions, receipts and logs, logs blooms and gas used; no hash or root was computed.",
    );
    return 0;
  } catch (error) {
    say(`This node cannot be indexed from: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await rpc.close();
  }
}

/** What each accounting that may be configured comes to on this node. */
function nativeWords(capabilities: Capabilities): string {
  const past = capabilities.archiveState ? "" : ", unknown before the blocks of which the node has the state";
  const byState = `${accountingDescriptions.state}${past} (nativeAccounting: state, as usual)`;
  return chooseAccounting("traces", capabilities) === "traces"
    ? `${byState}, or ${accountingDescriptions.traces} (nativeAccounting: traces, for chains without other ways to move value)`
    : byState;
}

function sayLine(line: string): void {
  stdout.write(`${escapeTerminal(line)}\n`);
}

/** What the node calls itself, cut: it is the node's own text. */
async function versionOf(rpc: Rpc): Promise<string> {
  const version = await rpc.request("web3_clientVersion", []).catch(() => null);
  return typeof version === "string" ? version.replace(/[^\x20-\x7e]/g, "").slice(0, 80) : "reports no version";
}

function renderTable(findings: readonly Finding[]): string[] {
  const rows = [["feature", "found", "what follows"], ...findings.map(({ feature, found, follows }) => [feature, found, follows])];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
