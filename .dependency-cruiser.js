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
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    only("generator-alone", "^generator/", "^generator/", "The generator reads spec/ and imports nothing else."),
    only(
      "bundle-alone",
      "^generator/bundle/",
      "^generator/bundle/",
      "Its files are copied into generated/, where nothing else of the generator is.",
    ),
    only("generated-alone", "^generated/", "^generated/", "What generated code needs is passed in."),
    only(
      "runtime-and-generated",
      "^runtime/",
      "^(runtime|generated)/",
      "The runtime imports generated code, never the generator or the demo, which commands load by its address.",
    ),
    only(
      "demo-below-commands",
      "^demo/",
      "^(demo/|runtime/(chain|config|database|lib)/|runtime/commands/demo\\.ts$)",
      "The demo chain knows no index and no server.",
    ),
    only("lib-alone", "^runtime/lib/", "^runtime/lib/", "lib imports nothing inside."),
    only(
      "parameters-low",
      "^runtime/parameters/",
      "^(runtime/(parameters|lib)|generated)/",
      "Parsers are typed by generated code and use lib only.",
    ),
    only("chain-low", "^runtime/chain/", "^runtime/(chain|lib)/", "chain knows no database and no domain."),
    only("database-low", "^runtime/database/", "^runtime/(database|lib)/", "database knows no domain."),
    only("web-low", "^runtime/web/", "^runtime/(web|lib)/", "The web outside is fetched without knowing what for."),
    only("events-low", "^runtime/events/", "^runtime/(events|chain|lib)/", "events know blocks, no domain."),
    only("indexer-no-domain", "^runtime/indexer/", "^runtime/(indexer|chain|database|events|config|lib)/", "Projections are handed in."),
    only("jobs-no-domain", "^runtime/jobs/", "^runtime/(jobs|indexer|chain|database|config|lib)/", "Reads are handed in."),
    only(
      "http-no-domain",
      "^runtime/http/",
      "^(runtime/(http|parameters|database|config|lib)|generated)/",
      "Resolvers and queries are handed in.",
    ),
    only(
      "api-below-app",
      "^runtime/api/",
      "^(runtime/(api|domains|events|web|parameters|config|lib)/|generated/)",
      "Resolvers and views call the domains' queries; they know no server, no indexer and no SQL.",
    ),
    only(
      "domains-below-api",
      "^runtime/domains/",
      "^(runtime/(domains|indexer|jobs|events|web|chain|database|config|lib)/|generated/requests\\.gen\\.ts$)",
      "Domains know neither the API nor the server.",
    ),
    {
      name: "api-only-by-app",
      comment: "What is said about the index is wired by app.ts alone: no arrow runs up into api.",
      severity: "error",
      from: { pathNot: "^(runtime/app\\.ts|runtime/api/|test/|bench/)" },
      to: { path: "^runtime/api/" },
    },
    ...Object.entries(domainsBelow).map(([domain, below]) => ({
      name: `domain-${domain}`,
      comment: "Domains import lower domains only.",
      severity: "error",
      from: { path: `^runtime/domains/${domain}/` },
      to: { path: "^runtime/domains/", pathNot: `^runtime/domains/(${below.join("|")})/` },
    })),
    {
      name: "no-development-packages",
      comment: "What is installed with --omit=dev must be enough to serve and index; the demo loads its packages lazily.",
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
