// Makes dist/start.js of the source of /script.js: the same code in a function, which gets the attributes of the script.
import { readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';

const source = readFileSync(new URL('../../../apps/collector/src/tracker/script.ts', import.meta.url), 'utf8');
const { code } = await transform(source, {
  loader: 'ts',
  format: 'esm',
  target: 'es2020',
  minify: true,
  define: { 'document.currentScript': 'script' },
});
const [, body, names] = /^([\s\S]*)export\{([^}]*)\};\s*$/.exec(code);
const members = names.replace(/(\w+) as (\w+)/g, '$2:$1');
writeFileSync(
  new URL('../dist/start.js', import.meta.url),
  `export function start(script){${body}return{${members}}}\n`,
);
