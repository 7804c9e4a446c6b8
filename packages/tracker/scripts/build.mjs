// Makes dist/start.js of the source of /script.js: the same code in a function, which gets the attributes of the script; and
// dist/measure.js, which the script would load.
import { readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';

const read = (name) => readFileSync(new URL(`../../../apps/collector/src/tracker/${name}`, import.meta.url), 'utf8');
const write = (name, code) => writeFileSync(new URL(`../dist/${name}`, import.meta.url), code);
const options = { loader: 'ts', format: 'esm', target: 'es2020', minify: true };

const { code } = await transform(read('script.ts'), { ...options, define: { 'document.currentScript': 'script' } });
const [, body, names] = /^([\s\S]*)export\{([^}]*)\};\s*$/.exec(code);
const members = names.replace(/(\w+) as (\w+)/g, '$2:$1');
// The only code that the package needs of what the script loads.
const inPlace = body.replace(/import\(new URL\([^)]*\)\.href\)/, 'Promise.resolve({default:measure})');
if (inPlace === body) throw new Error('The script loads its further code in another way.');
write('start.js', `import measure from './measure.js';\nexport function start(script){${inPlace}return{${members}}}\n`);
write('measure.js', (await transform(read('measure.ts'), options)).code);
