const { EvmBatchProcessor } = require("@subsquid/evm-processor");
const { TypeormDatabase } = require("@subsquid/typeorm-store");
const { In } = require("typeorm");
const { Account, Transfer } = require("./lib/model.js");

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const head = Number(process.env.BENCH_HEAD);

const processor = new EvmBatchProcessor()
  .setRpcEndpoint({ url: process.env.BENCH_RPC, capacity: 10, maxBatchCallSize: 100 })
  .setFinalityConfirmation(0)
  .setBlockRange({ from: 0, to: head })
  .setFields({ block: { timestamp: true }, log: { topics: true, data: true, transactionHash: true } })
  .addLog({ address: [process.env.BENCH_TOKEN], topic0: [transferTopic] });

const addressOf = (topic) => `0x${topic.slice(26)}`;

processor.run(new TypeormDatabase({ supportHotBlocks: false, projectDir: __dirname }), async (context) => {
  const movements = context.blocks.flatMap((block) =>
    block.logs.map((log) => ({
      id: log.id,
      transactionHash: log.transactionHash,
      from: addressOf(log.topics[1]),
      to: addressOf(log.topics[2]),
      amount: BigInt(log.data),
      blockNumber: block.header.height,
      timestamp: block.header.timestamp,
    })),
  );
  // As in Subsquid's documentation, the accounts of a batch are read from the store, changed and written back.
  const touched = [...new Set(movements.flatMap(({ from, to }) => [from, to]))];
  const stored = await context.store.findBy(Account, { id: In(touched) });
  const balances = new Map(stored.map(({ id, balance }) => [id, BigInt(balance)]));
  const move = (address, amount) => balances.set(address, (balances.get(address) ?? 0n) + amount);
  for (const { from, to, amount } of movements) {
    move(from, -amount);
    move(to, amount);
  }
  await context.store.upsert([...balances].map(([id, balance]) => new Account({ id, balance })));
  await context.store.insert(movements.map((movement) => new Transfer(movement)));
});
