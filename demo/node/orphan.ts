import type { Hex } from "../../runtime/lib/hex.ts";
import { createNodeClient } from "./client.ts";
import type { DemoNode } from "./launch.ts";
import { inspectProcess, listensOn, stopProcess } from "./processes.ts";
import type { NodeRecord } from "./record.ts";

/** Whether the recorded process is a node of this data directory, and not another process with the same id. */
const isRecordedNode = async (record: NodeRecord, cachePath: string): Promise<boolean> => {
  const info = await inspectProcess(record.processId);
  if (info === null || info.startedAt !== record.startedAt) return false;
  return info.command.includes(`--cache-path ${cachePath}`) && info.command.includes(`--port ${record.port} `);
};

/** Returns the node that a killed run left on this data directory if it still has the recorded chain. Otherwise stops the node and returns null. */
export const adoptOrphan = async (record: NodeRecord, cachePath: string): Promise<DemoNode | null> => {
  if (!(await isRecordedNode(record, cachePath))) return null;
  const handle = { processId: record.processId, startedAt: record.startedAt };
  const url = `http://127.0.0.1:${record.port}`;
  const client = createNodeClient(url);
  try {
    const genesis = await client.request<{ hash: Hex }>("eth_getBlockByNumber", ["0x0", false]);
    const listens = (await listensOn(record.processId, record.port)) !== false;
    if (listens && record.genesisHash !== null && genesis.hash === record.genesisHash) return { handle, port: record.port, url, client };
  } catch {
    // The demo's node does not respond and is stopped below.
  }
  await client.close();
  await stopProcess(handle);
  return null;
};
