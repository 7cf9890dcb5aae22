import { Hono } from "hono";

// biome-ignore lint/style/noDefaultExport: Ponder does not start without an application, which nothing asks here.
export default new Hono();
