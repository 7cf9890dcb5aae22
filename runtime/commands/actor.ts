import { hostname, userInfo } from "node:os";
import process from "node:process";

/** Who runs a command, for the log of operators' actions: `user@host`. */
export function commandActor(): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // The user of a container may have no entry in /etc/passwd.
    user = `uid ${process.getuid?.() ?? "unknown"}`;
  }
  return `${user}@${hostname()}`;
}
