const { Column, Entity, PrimaryColumn } = require("typeorm");

class Transfer {
  constructor(values) {
    Object.assign(this, values);
  }
}

class Account {
  constructor(values) {
    Object.assign(this, values);
  }
}

// The decorators of TypeORM, applied by hand: this file is not compiled.
PrimaryColumn({ type: "text" })(Transfer.prototype, "id");
for (const name of ["transactionHash", "from", "to"]) Column({ type: "text" })(Transfer.prototype, name);
for (const name of ["blockNumber", "timestamp", "amount"]) Column({ type: "numeric" })(Transfer.prototype, name);
Entity()(Transfer);
PrimaryColumn({ type: "text" })(Account.prototype, "id");
Column({ type: "numeric" })(Account.prototype, "balance");
Entity()(Account);

module.exports = { Transfer, Account };
