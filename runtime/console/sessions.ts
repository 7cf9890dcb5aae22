import { hash, randomBytes } from "node:crypto";
import type { Database, Queryable } from "../database/database.ts";
import { recordAction } from "../operator/actions.ts";

/** A signed-in operator. */
export interface Session {
  readonly id: number;
  readonly actor: string;
  /** The time at which the session ends even if it is in use. */
  readonly endsAt: Date;
}

/** A session, with the new token that the browser must use if the sent token was replaced. */
export interface FoundSession {
  readonly session: Session;
  readonly newToken: string | null;
}

/** Link and session durations, in seconds. */
export const sessionSeconds = {
  /** Lifetime of a link that `ashlar console login` prints. */
  link: 300,
  /** A session that is idle for this long ends. */
  idle: 1_800,
  /** Maximum lifetime of a session. */
  total: 43_200,
  /** The age at which a token is replaced. */
  token: 900,
  /** How long a replaced token is still accepted, for concurrent requests. */
  overlap: 30,
} as const;

/** 256 random bits in base64url; their hash needs neither a salt nor a slow function. */
const newToken = (): string => randomBytes(32).toString("base64url");
const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");
const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Creates a one-time link's token. */
export async function createSignInToken(
  database: Pick<Queryable, "query">,
  actor: string,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = newToken();
  const [row] = await database.query<{ expiresAt: Date }>(
    `INSERT INTO console_sign_ins (token_hash, actor, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3)) RETURNING expires_at AS "expiresAt"`,
    [hashToken(token), actor, sessionSeconds.link],
  );
  if (row === undefined) throw new Error("Failed to store the sign-in link.");
  return { token, expiresAt: row.expiresAt };
}

export interface Sessions {
  /** Opens a session with a link's token, which can be used only once; null if it is not valid. */
  open(signInToken: string): Promise<{ readonly session: Session; readonly token: string } | null>;
  /** Finds a token's session, and replaces the token if it is old; null if it is not valid. */
  find(token: string): Promise<FoundSession | null>;
  end(session: Session): Promise<void>;
}

interface Row {
  readonly id: number;
  readonly actor: string;
  readonly endsAt: Date;
  readonly isCurrent: boolean;
  readonly isOverlapping: boolean;
  readonly isOld: boolean;
}

/** Creates access to the database's sessions, which all its consoles share. */
export function createSessions(database: Pick<Database, "query" | "transaction">): Sessions {
  const rotate = async (id: number, current: Buffer): Promise<string | null> => {
    const token = newToken();
    const rotated = await database.query(
      "UPDATE console_sessions SET token_hash = $3, previous_hash = $2, rotated_at = now() WHERE id = $1 AND token_hash = $2 RETURNING 1",
      [id, current, hashToken(token)],
    );
    // Only one of several concurrent requests replaces the token.
    return rotated.length > 0 ? token : null;
  };
  return {
    open: (signInToken) =>
      database.transaction(async (client) => {
        if (!isToken(signInToken)) return null;
        const [signIn] = await client.query<{ actor: string }>(
          "DELETE FROM console_sign_ins WHERE token_hash = $1 AND expires_at > now() RETURNING actor",
          [hashToken(signInToken)],
        );
        if (signIn === undefined) return null;
        await client.query("DELETE FROM console_sign_ins WHERE expires_at <= now()");
        await client.query(
          "DELETE FROM console_sessions WHERE created_at < now() - make_interval(secs => $1) OR used_at < now() - make_interval(secs => $2)",
          [sessionSeconds.total, sessionSeconds.idle],
        );
        const token = newToken();
        const [row] = await client.query<{ id: number; endsAt: Date }>(
          `INSERT INTO console_sessions (token_hash, actor, created_at, rotated_at, used_at) VALUES ($1, $2, now(), now(), now())
           RETURNING id, created_at + make_interval(secs => $3) AS "endsAt"`,
          [hashToken(token), signIn.actor, sessionSeconds.total],
        );
        if (row === undefined) throw new Error("The session was not stored.");
        await recordAction(client, { actor: signIn.actor, action: "console.sign-in", subject: `${row.id}` });
        return { session: { ...row, actor: signIn.actor }, token };
      }),
    async find(token) {
      if (!isToken(token)) return null;
      const hashed = hashToken(token);
      // Uses the unique indexes on both hashes.
      const [row] = await database.query<Row>(
        `UPDATE console_sessions SET used_at = now()
         WHERE (token_hash = $1 OR previous_hash = $1) AND created_at > now() - make_interval(secs => $2) AND used_at > now() - make_interval(secs => $3)
         RETURNING id, actor, created_at + make_interval(secs => $2) AS "endsAt", token_hash = $1 AS "isCurrent",
           rotated_at > now() - make_interval(secs => $4) AS "isOverlapping", rotated_at < now() - make_interval(secs => $5) AS "isOld"`,
        [hashed, sessionSeconds.total, sessionSeconds.idle, sessionSeconds.overlap, sessionSeconds.token],
      );
      if (row === undefined) return null;
      const { id, actor, endsAt } = row;
      if (!row.isCurrent && !row.isOverlapping) {
        // The browser had already replaced this token, so it may have been stolen.
        await database.query("DELETE FROM console_sessions WHERE id = $1", [id]);
        return null;
      }
      return { session: { id, actor, endsAt }, newToken: row.isCurrent && row.isOld ? await rotate(id, hashed) : null };
    },
    end: ({ id, actor }) =>
      database.transaction(async (client) => {
        await client.query("DELETE FROM console_sessions WHERE id = $1", [id]);
        await recordAction(client, { actor, action: "console.sign-out", subject: `${id}` });
      }),
  };
}
