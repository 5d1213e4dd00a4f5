// A task by node and nothing else: code and input come on stdin as JSON, the output goes to stdout.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const task = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(runInThisContext(`${task.code}\nmain`)(JSON.parse(task.input))));
