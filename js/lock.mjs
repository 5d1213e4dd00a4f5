// Takes what is no part of a lock out of the package-lock.json of each folder named: where to give money, which npm
// writes as addresses.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

for (const folder of process.argv.slice(2)) {
  const file = join(folder, "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8"));
  for (const entry of Object.values(lock.packages)) delete entry.funding;
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
