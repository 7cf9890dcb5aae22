import { describe } from "vitest";
import { expectDiagnostics, logsFile, serviceFile, templateFile, tokensFile } from "../expect-diagnostics.ts";

describe("paths", () => {
  const path = "path: /v1/{chainName}/events/";
  expectDiagnostics([
    {
      wrong: "a path parameter that is not declared",
      file: logsFile,
      find: path,
      put: "path: §/v1/{chain}/events/",
      code: "undeclared-path-parameter",
      contains: ['"chain"', "accepted: chainName, tokenAddress, page", "nearest: chainName"],
    },
    {
      wrong: "a path parameter whose definition under another name is not there",
      file: logsFile,
      find: path,
      put: "path: /v1/{chain}/events/\n    definedAs: { chain: §chainNames }",
      code: "undeclared-path-parameter",
      contains: ['"chainNames"', "nearest: chainName"],
    },
    {
      wrong: "another name for a parameter that the path does not have",
      file: logsFile,
      find: path,
      put: `${path}\n    definedAs: { §chain: chainName }`,
      code: "unknown-parameter",
      contains: ['"chain" is not a parameter of this path', "accepted: chainName"],
    },
    {
      wrong: "a path parameter that no path has",
      file: serviceFile,
      find: "pathParameters:",
      put: 'pathParameters:\n  §hash: { type: hash, description: A hash., example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060" }',
      code: "unused-definition",
      contains: ["path parameter", '"hash"'],
    },
    {
      wrong: "a brace that is not closed",
      file: logsFile,
      find: path,
      put: "path: §/v1/{chainName}/{page/",
      code: "malformed-path",
      contains: ['"{page"'],
    },
    {
      wrong: "a parameter without a name",
      file: logsFile,
      find: path,
      put: "path: §/v1/{chainName}/events/{}/",
      code: "malformed-path",
      contains: ['"{}"'],
    },
    {
      wrong: "a parameter in a part of a segment",
      file: logsFile,
      find: path,
      put: "path: §/v1/{chainName}/events-{page}/",
      code: "malformed-path",
      contains: ['"events-{page}"', "one whole {parameter}"],
    },
    {
      wrong: "a segment that would be encoded",
      file: logsFile,
      find: path,
      put: 'path: §"/v1/{chainName}/ev ents/"',
      code: "malformed-path",
      contains: ['"ev ents"'],
    },
    {
      wrong: "a parameter that a path has twice",
      file: logsFile,
      find: path,
      put: "path: §/v1/{chainName}/events/{chainName}/",
      code: "repeated-path-parameter",
      contains: ["{chainName}"],
    },
    {
      wrong: "a page in the path of a style without one",
      file: tokensFile,
      find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/\n",
      put: "path: §/v1/{chainName}/tokens/{tokenAddress}/all/{page}/\n",
      code: "style-path",
      contains: ["{page}", '"page"', "links"],
    },
    {
      wrong: "a template without its operation",
      file: templateFile,
      find: "path: /v1/cq/{protocol}/{operation}/",
      put: "path: §/v1/cq/{protocol}/",
      code: "community-path",
      contains: ["{operation}"],
    },
    {
      wrong: "a malformed template",
      file: templateFile,
      find: "path: /v1/cq/{protocol}/{operation}/",
      put: "path: §/v1/cq/{protocol}/{operation/",
      code: "malformed-path",
      contains: ['"{operation"'],
    },
  ]);
});
