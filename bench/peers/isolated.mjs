// Tasks by isolated-vm, an isolate each; the task comes on stdin as JSON, the nanoseconds go to stdout.
// Arguments: how often.
import { readFileSync } from "node:fs";
import ivm from "isolated-vm";

const task = JSON.parse(readFileSync(0, "utf8"));
const script = `${task.code}\nJSON.stringify(main(JSON.parse(text)))`;
const samples = [];
for (let number = -5; number < Number(process.argv[2]); number++) {
  const started = process.hrtime.bigint();
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = isolate.createContextSync();
  context.global.setSync("text", task.input);
  const said = isolate.compileScriptSync(script).runSync(context, { timeout: 30_000 });
  isolate.dispose();
  const ended = process.hrtime.bigint();
  if (said !== task.expected) throw new Error(`a wrong output: ${said}`);
  if (number >= 0) samples.push(Number(ended - started));
}
console.log(JSON.stringify(samples));
