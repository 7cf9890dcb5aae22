import { startEmbedded } from "../../../runtime/database/embedded.ts";

/**
 * A process that holds an embedded server: says on a line what it got, and stops it when its standard input ends.
 * `hold-server.ts <data directory> [uid]`: as root it becomes that user first, once its own files are read.
 */
const [dataDirectory = "", uid] = process.argv.slice(2);
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
try {
  const { url, owner, stop } = await startEmbedded({ dataDirectory, patienceMilliseconds: 5_000 });
  process.stdout.write(`${JSON.stringify({ url, owner })}\n`);
  process.stdin.resume();
  process.stdin.once("end", stop);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
}
