import { createDatabase } from "../../runtime/database/database.ts";
import { readArgument, reportResult } from "../support/measured-process.ts";
import { fillIndex } from "./fill-index.ts";
import type { NftMarketSize } from "./nft-market.ts";

const { databaseUrl, ...size } = readArgument<NftMarketSize & { readonly databaseUrl: string }>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
await fillIndex(database, size);
await database.close();
reportResult({});
