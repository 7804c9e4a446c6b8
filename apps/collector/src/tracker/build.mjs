// Builds the scripts for browsers: the tracker into dist/tracker, with what measures in a file of its own, and those in the place of other products' trackers
// into dist/foreign/browser.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const options = { target: 'es2020', minify: true, legalComments: 'none', tsconfigRaw: {} };

// As a module, whose names are its own, and then in a block: a function around it would take more bytes, and esbuild would
// replace `import()` in it.
const { outputFiles } = await build({ ...options, entryPoints: [pathOf('script.ts')], format: 'esm', write: false });
await mkdir(pathOf('../../dist/tracker'), { recursive: true });
const script = outputFiles[0].text.replace(/export\{[^}]*\};\s*$/, '');
await writeFile(pathOf('../../dist/tracker/script.js'), `{${script}}`);

await build({
  ...options,
  entryPoints: [pathOf('measure.ts')],
  format: 'esm',
  outfile: pathOf('../../dist/tracker/measure.js'),
});

await build({
  ...options,
  entryPoints: ['umami', 'plausible', 'matomo', 'goatcounter'].map((name) => pathOf(`../foreign/browser/${name}.ts`)),
  outdir: pathOf('../../dist/foreign/browser'),
  bundle: true,
  format: 'iife',
});
