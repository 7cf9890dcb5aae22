import { ponder } from "ponder:registry";
import { account, transfer } from "ponder:schema";

ponder.on("Token:Transfer", async ({ event, context }) => {
  const { from, to, value } = event.args;
  await context.db.insert(transfer).values({
    id: event.id,
    blockNumber: event.block.number,
    timestamp: event.block.timestamp,
    transactionHash: event.transaction.hash,
    from,
    to,
    amount: value,
  });
  await context.db
    .insert(account)
    .values({ address: from, balance: -value })
    .onConflictDoUpdate((row) => ({ balance: row.balance - value }));
  await context.db
    .insert(account)
    .values({ address: to, balance: value })
    .onConflictDoUpdate((row) => ({ balance: row.balance + value }));
});
