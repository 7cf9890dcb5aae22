import { z } from "zod";
import { selectsPrimary, serversOf } from "../database/hosts/servers-of.ts";

/** The name of the control database in command options. */
export const controlDatabase = "control";

const databaseNameText = `a name of lower-case letters, digits and dashes that starts with a letter, other than ${controlDatabase}`;
const databaseUrlText = "a URL of the form postgresql://user:password@host:port/name";
const databaseUrl = z.string(databaseUrlText).regex(/^(postgres(ql)?|socket):\/\//, databaseUrlText);

const primaryText = "a URL whose target_session_attrs, if it has one, is read-write or primary";

/** A URL with one or more hosts, which are searched for the primary. */
export const primaryUrl = z.string().refine(selectsPrimary, { error: primaryText });

/** The URLs of streaming replicas. */
export const readUrls = z
  .array(databaseUrl.refine((url) => !serversOf(url).mustBePrimary, { error: "a URL of one host, without target_session_attrs" }))
  .max(16)
  .default([]);

/** The databases in addition to databaseUrl, by name. */
export const databases = z
  .record(
    z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, databaseNameText)
      .refine((name) => name !== controlDatabase, { error: databaseNameText }),
    z.strictObject({
      url: databaseUrl
        .refine(selectsPrimary, { error: primaryText })
        .describe("The database's URL. It may contain a secret and is never printed."),
      readUrls: readUrls.describe("The URLs of its streaming replicas. They may contain secrets and are never printed."),
      communityDatabaseUrl: primaryUrl
        .optional()
        .describe("Like the setting communityDatabaseUrl, for this database. It may contain a secret and is never printed."),
    }),
  )
  .default({})
  .describe(
    "PostgreSQL databases for chains in addition to databaseUrl, by name: a URL, or a map with url and readUrls (docs/operations/shards.md). A chain's setting database selects one of them.",
  );

/** A chain's setting that selects the database that stores it. */
export const chainDatabaseSetting = {
  database: z
    .string()
    .optional()
    .describe("The database that stores the chain: a name from databases (default: the database at databaseUrl)."),
};
