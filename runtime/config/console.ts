import { z } from "zod";
import { httpUrl } from "./fields.ts";

const port = "a port from 0 to 65535";

/** Settings for the console's listener. */
export const consoleSettingsSchema = z.strictObject({
  host: z.string().default("127.0.0.1").describe("The host to listen on; by default, only this machine can connect."),
  port: z.number(port).int(port).min(0, port).max(65535, port).default(8090).describe("The port of /console/."),
  publicUrl: httpUrl
    .optional()
    .describe("The URL of a proxy in front of the console, without the path /console/; https:// for browsers on other machines."),
});
