import { hostname, userInfo } from "node:os";
import process from "node:process";

/** The user who runs a command, as recorded in the log of operator actions: `user@host`. */
export function commandActor(): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // A container's user may have no entry in /etc/passwd.
    user = `uid ${process.getuid?.() ?? "unknown"}`;
  }
  return `${user}@${hostname()}`;
}
