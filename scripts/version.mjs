// Gives all packages, and the names of their files in the documentation, the version of the repository: npm runs it after
// `npm version --no-git-tag-version VERSION` has changed that.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const packages = ['apps', 'packages'].flatMap((group) => filesIn(group));
const documents = ['.', 'docs', 'deploy/systemd', ...packages]
  .flatMap(filesIn)
  .filter((name) => /\.(?:md|sh)$/.test(name));

for (const name of packages.map((folder) => join(folder, 'package.json')).filter(isThere)) {
  change(name, /^ {2}"version": "[^"]*"/m, `  "version": "${version}"`);
}
for (const name of documents) change(name, /(?<=hitherto[a-z-]*-)\d+\.\d+\.\d+(?=\.tgz)/g, version);

function filesIn(folder) {
  return readdirSync(join(root, folder), 'utf8').map((name) => join(folder, name));
}

function isThere(name) {
  return existsSync(join(root, name));
}

function change(name, pattern, replacement) {
  const text = readFileSync(join(root, name), 'utf8');
  const changed = text.replace(pattern, replacement);
  if (changed !== text) writeFileSync(join(root, name), changed);
}
