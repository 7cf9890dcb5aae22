import { describe } from "vitest";
import { expectDiagnostics, logsFile, serviceFile, templateFile, tokensFile } from "../expect-diagnostics.ts";

describe("loadCatalog", () => {
  const path = "path: /v1/{chainName}/events/";
  expectDiagnostics([
    {
      title: "an undeclared path parameter",
      file: logsFile,
      find: path,
      replacement: "path: §/v1/{chain}/events/",
      code: "undeclared-path-parameter",
      contains: ['"chain"', "expected chainName, tokenAddress, page", "nearest: chainName"],
    },
    {
      title: "a path parameter that is defined under an unknown name",
      file: logsFile,
      find: path,
      replacement: "path: /v1/{chain}/events/\n    definedAs: { chain: §chainNames }",
      code: "undeclared-path-parameter",
      contains: ['"chainNames"', "nearest: chainName"],
    },
    {
      title: "a definition name for a parameter that the path does not have",
      file: logsFile,
      find: path,
      replacement: `${path}\n    definedAs: { §chain: chainName }`,
      code: "unknown-parameter",
      contains: ['"chain": not a parameter of this path', "expected chainName"],
    },
    {
      title: "an unused path parameter",
      file: serviceFile,
      find: "pathParameters:",
      replacement:
        'pathParameters:\n  §hash: { type: hash, description: A hash., example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060" }',
      code: "unused-definition",
      contains: ["path parameter", '"hash"'],
    },
    {
      title: "an unclosed brace",
      file: logsFile,
      find: path,
      replacement: "path: §/v1/{chainName}/{page/",
      code: "malformed-path",
      contains: ['"{page"'],
    },
    {
      title: "a parameter without a name",
      file: logsFile,
      find: path,
      replacement: "path: §/v1/{chainName}/events/{}/",
      code: "malformed-path",
      contains: ['"{}"'],
    },
    {
      title: "a parameter that is only a part of a segment",
      file: logsFile,
      find: path,
      replacement: "path: §/v1/{chainName}/events-{page}/",
      code: "malformed-path",
      contains: ['"events-{page}"', "one whole {parameter}"],
    },
    {
      title: "a segment that would need URL encoding",
      file: logsFile,
      find: path,
      replacement: 'path: §"/v1/{chainName}/ev ents/"',
      code: "malformed-path",
      contains: ['"ev ents"'],
    },
    {
      title: "a parameter that occurs twice in a path",
      file: logsFile,
      find: path,
      replacement: "path: §/v1/{chainName}/events/{chainName}/",
      code: "repeated-path-parameter",
      contains: ["{chainName}"],
    },
    {
      title: "a page in a path whose pagination style has none",
      file: tokensFile,
      find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/\n",
      replacement: "path: §/v1/{chainName}/tokens/{tokenAddress}/all/{page}/\n",
      code: "style-path",
      contains: ["{page}", '"page"', "links"],
    },
    {
      title: "a template path without the operation",
      file: templateFile,
      find: "path: /v1/cq/{protocol}/{operation}/",
      replacement: "path: §/v1/cq/{protocol}/",
      code: "community-path",
      contains: ["{operation}"],
    },
    {
      title: "a malformed template path",
      file: templateFile,
      find: "path: /v1/cq/{protocol}/{operation}/",
      replacement: "path: §/v1/cq/{protocol}/{operation/",
      code: "malformed-path",
      contains: ['"{operation"'],
    },
  ]);
});
