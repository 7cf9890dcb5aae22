import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** PostgreSQL's default (`scram_iterations`). */
const defaultIterations = 4096;

/**
 * The verifier that PostgreSQL stores instead of a password (RFC 5802, section 3; RFC 7677), in the form that `PASSWORD '…'` accepts: the server's log then
 * never contains the password. The password must be ASCII, which SASLprep does not change.
 */
export function scramVerifier(password: string, salt = randomBytes(16), iterations = defaultIterations): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyOf = (name: string): Buffer => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest();
  const [saltText, storedText, serverText] = [salt, storedKey, keyOf("Server Key")].map((key) => key.toString("base64"));
  return `SCRAM-SHA-256$${iterations}:${saltText}$${storedText}:${serverText}`;
}
