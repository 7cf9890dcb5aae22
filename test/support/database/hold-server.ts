import { startEmbedded } from "../../../runtime/database/embedded.ts";

/**
 * A process that keeps an embedded server running: it prints the server's URL or the error as one line of JSON, and stops the server when its standard input
 * ends. Usage: `hold-server.ts <data directory> [uid]`. If started as root, it switches to the user id after it has loaded its modules.
 */
const [dataDirectory = "", uid] = process.argv.slice(2);
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
try {
  const { url, isOwner, stop } = await startEmbedded({ dataDirectory, waitMilliseconds: 5_000 });
  process.stdout.write(`${JSON.stringify({ url, isOwner })}\n`);
  process.stdin.resume();
  process.stdin.once("end", stop);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
}
