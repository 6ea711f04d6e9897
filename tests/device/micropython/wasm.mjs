// wasm.mjs PACKAGE MODULES BOARD SCRIPT TRACE TRUTH: runs a program of board/ in MicroPython for
// WebAssembly, whose event loop is that of JavaScript, and writes what it recorded and told.
import fs from 'node:fs';
import path from 'node:path';

const [wasm, modules, board, script, trace, truth] = process.argv.slice(2);
const { loadMicroPython } = await import(path.resolve(wasm, 'micropython.mjs'));
const python = await loadMicroPython({ heapsize: 4 << 20 });

for (const folder of ['.', 'aioscope_py']) {
  python.FS.mkdirTree(`/lib/${folder}`);
  for (const name of fs.readdirSync(path.join(modules, folder)))
    if (name.endsWith('.py'))
      python.FS.writeFile(`/lib/${folder}/${name}`, fs.readFileSync(path.join(modules, folder, name)));
}
python.FS.writeFile('/lib/truth.py', fs.readFileSync(path.join(board, 'truth.py')));

// There is no asyncio.run(): the program awaits its task, on the top level.
const program = fs.readFileSync(path.join(board, `${script}.py`), 'utf8')
  .replace(/^truth\.run\(/gm, 'await truth.run(');
await python.runPythonAsync(`
import sys
sys.argv[:] = [${JSON.stringify(script)}, "/trace", "/truth"]
${program}
import aioscope, aioscope_py
print(aioscope_py.short.__name__)
`);
fs.writeFileSync(trace, python.FS.readFile('/trace'));
fs.writeFileSync(truth, python.FS.readFile('/truth'));
