// Builds the tracker for browsers into dist/tracker/script.js.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  entryPoints: [fileURLToPath(new URL('script.ts', import.meta.url))],
  outfile: fileURLToPath(new URL('../../dist/tracker/script.js', import.meta.url)),
  format: 'iife',
  target: 'es2020',
  minify: true,
  legalComments: 'none',
  // An iife needs no directive.
  tsconfigRaw: {},
});
