// The import rules of docs/architecture/overview.md.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: "^(spec|generator|generated|runtime|demo|test|bench)/", pathNot: allowed },
});

const domainsBelow = {
  ledger: ["ledger"],
  tokens: ["ledger", "tokens"],
  pools: ["ledger", "tokens", "pools"],
  prices: ["ledger", "tokens", "pools", "prices"],
  names: ["ledger", "tokens", "names"],
  chains: ["ledger", "tokens", "chains"],
  dex: ["ledger", "tokens", "pools", "prices", "dex"],
  nft: ["ledger", "tokens", "pools", "prices", "nft"],
  "nft-metadata": ["ledger", "tokens", "pools", "prices", "nft", "nft-metadata"],
  "nft-sales": ["ledger", "tokens", "pools", "prices", "nft", "nft-metadata", "nft-sales"],
  approvals: ["ledger", "tokens", "pools", "prices", "approvals"],
  lending: ["ledger", "tokens", "pools", "prices", "lending"],
  safes: ["ledger", "tokens", "pools", "prices", "safes"],
  community: ["ledger", "tokens", "pools", "prices", "community"],
};

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    only("generator-alone", "^generator/", "^generator/", "The generator imports no other code of the project."),
    only(
      "bundle-alone",
      "^generator/bundle/",
      "^generator/bundle/",
      "The files are copied into generated/, which contains no other code of the generator.",
    ),
    only("generated-alone", "^generated/", "^generated/", "The dependencies of generated code are passed in."),
    only(
      "runtime-and-generated",
      "^runtime/",
      "^(runtime|generated)/",
      "The runtime imports generated code, but never the generator or the demo, which commands load by its path.",
    ),
    only(
      "demo-below-commands",
      "^demo/",
      "^(demo/|runtime/(chain|config|database|lib)/|runtime/commands/demo\\.ts$)",
      "The demo chain does not depend on the indexer or the server.",
    ),
    only("lib-alone", "^runtime/lib/", "^runtime/lib/", "lib imports no other code of the project."),
    only(
      "parameters-low",
      "^runtime/parameters/",
      "^(runtime/(parameters|lib)|generated)/",
      "Parsers use only lib and the types of generated code.",
    ),
    only("chain-low", "^runtime/chain/", "^runtime/(chain|lib)/", "chain does not depend on the database or on domains."),
    only("database-low", "^runtime/database/", "^runtime/(database|lib)/", "database does not depend on domains."),
    only("web-low", "^runtime/web/", "^runtime/(web|lib)/", "web does not depend on domains: it fetches without knowing the purpose."),
    only("events-low", "^runtime/events/", "^runtime/(events|chain|lib)/", "events depend on blocks, but not on domains."),
    only("indexer-no-domain", "^runtime/indexer/", "^runtime/(indexer|chain|database|events|config|lib)/", "Projections are passed in."),
    only("jobs-no-domain", "^runtime/jobs/", "^runtime/(jobs|indexer|chain|database|config|lib)/", "Reads are passed in."),
    only(
      "http-no-domain",
      "^runtime/http/",
      "^(runtime/(http|parameters|database|config|lib)|generated)/",
      "Resolvers and queries are passed in.",
    ),
    only(
      "api-below-app",
      "^runtime/api/",
      "^(runtime/(api|domains|events|web|parameters|config|lib)/|generated/)",
      "Resolvers and views call the domains' queries; they do not depend on the server or the indexer, and contain no SQL.",
    ),
    only(
      "domains-below-api",
      "^runtime/domains/",
      "^(runtime/(domains|indexer|jobs|events|web|chain|database|config|lib)/|generated/requests\\.gen\\.ts$)",
      "Domains depend neither on the API nor on the server.",
    ),
    {
      name: "api-only-by-app",
      comment: "Only app.ts imports api: no lower layer depends on it.",
      severity: "error",
      from: { pathNot: "^(runtime/app\\.ts|runtime/api/|test/|bench/)" },
      to: { path: "^runtime/api/" },
    },
    ...Object.entries(domainsBelow).map(([domain, below]) => ({
      name: `domain-${domain}`,
      comment: "Domains import only lower domains.",
      severity: "error",
      from: { path: `^runtime/domains/${domain}/` },
      to: { path: "^runtime/domains/", pathNot: `^runtime/domains/(${below.join("|")})/` },
    })),
    {
      name: "no-development-packages",
      comment: "The packages that --omit=dev installs must be sufficient to serve and to index; the demo loads its packages lazily.",
      severity: "error",
      from: { path: "^(runtime|generated)/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node"] },
  },
};
