import { Hono } from "hono";

// biome-ignore lint/style/noDefaultExport: Ponder does not start without a default export; the application receives no requests.
export default new Hono();
