import type { Hex } from "../../runtime/lib/hex.ts";
import { createNodeClient } from "./client.ts";
import type { DemoNode } from "./launch.ts";
import { endProcess, inspectProcess, listensOn } from "./processes.ts";
import type { NodeRecord } from "./record.ts";

/** Whether the recorded process is a node of this very data folder, and not another process with a reused id. */
const isOurs = async (record: NodeRecord, cachePath: string): Promise<boolean> => {
  const facts = await inspectProcess(record.processId);
  if (facts === null || facts.startedAt !== record.startedAt) return false;
  return facts.command.includes(`--cache-path ${cachePath}`) && facts.command.includes(`--port ${record.port} `);
};

/** A node that a killed Ashlar left behind on this data folder and that still has its chain; one that is ours but of no use is ended; others are never touched. */
export const adoptOrphan = async (record: NodeRecord, cachePath: string): Promise<DemoNode | null> => {
  if (!(await isOurs(record, cachePath))) return null;
  const mark = { processId: record.processId, startedAt: record.startedAt };
  const url = `http://127.0.0.1:${record.port}`;
  const client = createNodeClient(url);
  try {
    const genesis = await client.request<{ hash: Hex }>("eth_getBlockByNumber", ["0x0", false]);
    const listens = (await listensOn(record.processId, record.port)) !== false;
    if (listens && record.genesisHash !== null && genesis.hash === record.genesisHash) return { mark, port: record.port, url, client };
  } catch {
    // The demo's node, but unresponsive: ended below.
  }
  await client.close();
  await endProcess(mark);
  return null;
};
