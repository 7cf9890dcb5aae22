import * as validator from "express-openapi-validator";
import express from "/work/main/node_modules/express/index.js";
import { readDocument } from "/work/main/test/support/judge.ts";
import { createServer, get } from "node:http";
const d = await readDocument() as any;
function refs(x: any, out = new Set<string>()): Set<string> {
  if (Array.isArray(x)) x.forEach((v) => refs(v, out));
  else if (x && typeof x === "object") for (const [k, v] of Object.entries(x)) { if (k === "$ref" && typeof v === "string") { if (!out.has(v)) { out.add(v); const [, a, b, c] = v.split("/"); refs(d[a][b][c], out); } } else refs(v, out); }
  return out;
}
for (const prune of [false, true]) {
  const t = performance.now();
  for (const path of Object.keys(d.paths)) {
    let doc: any = { ...d, paths: { [path]: d.paths[path] } };
    if (prune) { const r = refs(d.paths[path]); doc = { ...doc, components: Object.fromEntries(Object.entries(d.components).map(([k, m]: any) => [k, k === "securitySchemes" ? m : Object.fromEntries(Object.entries(m).filter(([n]) => r.has(`#/components/${k}/${n}`)))])) }; }
    const app = express();
    let ok: any;
    app.use((q: any, r: any, n: any) => { r.json = () => r.end("null"); n(); });
    app.use(...validator.middleware({ apiSpec: structuredClone(doc), validateApiSpec: false, validateRequests: false, validateResponses: { allErrors: true, coerceTypes: false, removeAdditional: false } as any, validateSecurity: false, fileUploader: false }));
    app.use((q: any, r: any) => r.status(400).type("application/json").json({ data: null, error: true, error_message: "x", error_code: 400 }));
    app.use((e: any, q: any, r: any, n: any) => r.end(String(e.message)));
    const s = createServer(app); await new Promise<void>((f) => s.listen(0, f));
    const text = await (await fetch(`http://127.0.0.1:${(s.address() as any).port}${path.replace(/\{[^}]+\}/g, "1")}`)).text();
    if (text !== "null") console.log(path, text.slice(0, 200));
    s.close(); s.closeAllConnections();
  }
  console.log(prune, "per op", (performance.now() - t) / 97);
}
